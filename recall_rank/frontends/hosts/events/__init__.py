"""Hooks of hosts: what a program in which agents run calls at the events of a session, and what it is answered."""
