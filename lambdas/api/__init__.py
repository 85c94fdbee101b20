"""HTTP plumbing that the HTTP functions share: resolver, models, problem answers, document."""
