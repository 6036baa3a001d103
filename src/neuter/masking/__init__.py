"""Schemes, one a file. Each turns documents into masked documents; none of them sees an attacker."""
