"""Teaching to tell signs apart that are shown a few times: the network behind sets of one's own."""
