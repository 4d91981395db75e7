"""Models behind an endpoint for chats: ``api/NAME``, asked over the network."""
