"""The local deployment: the real `cdk deploy`, onto an emulator of AWS on this machine."""
