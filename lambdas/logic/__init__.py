"""What each route does, one file a use case: between the handlers and the store."""
