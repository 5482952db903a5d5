#!/bin/bash -e
install -m 644 files/companion-screen.service "${ROOTFS_DIR}/etc/systemd/system/"
install -D -m 755 files/show-the-way "${ROOTFS_DIR}/usr/local/lib/companion/show-the-way"
on_chroot <<EOF
systemctl enable companion-screen.service
EOF
