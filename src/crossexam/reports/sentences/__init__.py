"""What a report says in words first: what broke, whether that can be trusted, and what to do."""
