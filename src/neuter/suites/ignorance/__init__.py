"""Simulated against true ignorance: can a model be told to forget what it knows (docs/ignorance.md)?"""
