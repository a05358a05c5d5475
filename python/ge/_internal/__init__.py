"""What the parts of ge share; nothing here is public."""
