"""What commands leave behind: versioned JSON records, findings, the stations, tables, the lock of a folder."""
