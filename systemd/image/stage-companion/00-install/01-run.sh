#!/bin/bash -e
# The package lies in files/, put there before the build: tableau-companion_*_arm64.deb
install -m 644 files/tableau-companion_*_arm64.deb "${ROOTFS_DIR}/root/companion.deb"
on_chroot <<EOF
apt-get install -y --no-install-recommends /root/companion.deb
rm /root/companion.deb
EOF
# the journal must not fill the card
install -D -m 644 files/journal.conf "${ROOTFS_DIR}/etc/systemd/journald.conf.d/companion.conf"
