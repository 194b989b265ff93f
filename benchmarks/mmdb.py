"""Writes a file for MaxMind's reader: python3 mmdb.py BLOCKS.csv BLOCKS.mmdb (pip install mmdb-writer netaddr)."""

import csv
import sys

from mmdb_writer import MMDBWriter
from netaddr import IPNetwork, IPSet

writer = MMDBWriter(ip_version=4, database_type="bsdb-blocks", float_type="f64")
with open(sys.argv[1], newline="", encoding="utf-8") as file:
    for network, country, city, latitude, longitude in csv.reader(file):
        place = {"country": country, "city": city, "latitude": float(latitude), "longitude": float(longitude)}
        writer.insert_network(IPSet([IPNetwork(network)]), place)
writer.to_db_file(sys.argv[2])
