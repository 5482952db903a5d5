"""The commands, one file each: ``arguments(parser)`` declares, ``run(args)`` does."""
