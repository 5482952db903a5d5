"""The commands, one file each: ``arguments(parser)`` declares the options, ``run(args)`` runs the command."""
