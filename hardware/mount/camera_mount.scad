// A printable mount that holds a camera above a table, looking straight down from a boom or a pole.
//
// Two parts, printed flat without support: a plate for the camera, and a clamp around the pole.
// They meet at a hinge with one M4 x 25 screw and a wing nut; a second pair tightens the clamp.
//   openscad -D 'part="plate"' -o plate.stl camera_mount.scad
//   openscad -D 'part="clamp"' -o clamp.stl camera_mount.scad
// All lengths are in millimetres.

part = "both";      // "plate", "clamp" or "both"
camera = "module";  // "module": Camera Module 2 and 3; "hq": HQ Camera
pole = 22;          // the pole's or boom's diameter

wall = 4;
play = 0.3;         // between parts that move, and around the pole
m4 = 4.3;           // hole for an M4 screw
$fn = 48;

// Raspberry Pi documentation, mechanical drawings: where the board's holes are, their screws,
// and the board's size.  The lens of a module lies off the middle; the opening is wide enough.
board = camera == "hq" ? [38, 38] : [25, 24];
holes = camera == "hq" ? [30, 30] : [21, 12.5];
off = camera == "hq" ? [0, 0] : [0, 3.75];      // from the board's middle to that of its holes
screw = camera == "hq" ? 2.7 : 2.2;
opening = camera == "hq" ? 24 : 15;

tongue = 6;         // thickness of the hinge's middle
hinge = 16;         // diameter of the hinge's rounds, and the clamp's depth

module round_bar(length, width, thick) {
    hull() {
        translate([0, 0, 0]) cylinder(d = width, h = thick);
        translate([length, -width / 2, 0]) cube([0.01, width, thick]);
    }
}

module plate() {
    high = wall + hinge / 2 + 1;        // from the plate's face to the hinge's screw; the fork clears the plate
    size = [board[0] + 2 * wall, board[1] + 2 * wall];
    difference() {
        union() {
            translate([-size[0] / 2, -size[1] / 2, 0]) cube([size[0], size[1], wall]);
            // distance pieces keep what is soldered on the board's back off the plate
            for (x = [-1, 1], y = [-1, 1])
                translate([off[0] + x * holes[0] / 2, off[1] + y * holes[1] / 2, 0])
                    cylinder(d = screw + 3, h = wall + 3);
        }
        for (x = [-1, 1], y = [-1, 1])
            translate([off[0] + x * holes[0] / 2, off[1] + y * holes[1] / 2, -1])
                cylinder(d = screw, h = wall + 5);
        translate([0, 0, -1]) cylinder(d = opening, h = wall + 2);
        // the flat cable
        translate([-9, -size[1] / 2 - 1, -1]) cube([18, wall, wall + 2]);
    }
    // the hinge's tongue, upright at the plate's edge
    translate([0, size[1] / 2 - wall, 0]) rotate([90, -90, 180]) difference() {
        translate([high, 0, 0]) rotate([0, 0, 180]) round_bar(high, hinge, tongue);
        translate([high, 0, -1]) cylinder(d = m4, h = tongue + 2);
    }
}

module clamp() {
    outer = pole + 2 * wall;
    out = outer / 2 + hinge / 2 + 2;    // from the pole's middle to the hinge's screw
    deep = hinge;
    difference() {
        union() {
            cylinder(d = outer, h = deep);
            // two ears that a second M4 screw pulls together
            translate([pole / 2, -wall - 1.5, 0]) cube([wall + 14, 2 * wall + 3, deep]);
            // the fork of the hinge: the clamp turns around the pole, the plate around the screw across it
            for (y = [tongue / 2 + play + wall, -tongue / 2 - play])
                translate([-out, y, deep / 2]) rotate([90, 0, 0]) round_bar(hinge / 2 + 2 + wall, hinge, wall);
        }
        translate([0, 0, -1]) cylinder(d = pole + play, h = deep + 2);
        translate([0, -1.5, -1]) cube([outer, 3, deep + 2]);
        translate([pole / 2 + wall + 8, wall + 3, deep / 2]) rotate([90, 0, 0]) cylinder(d = m4, h = 2 * wall + 6);
        translate([-out, 2 * tongue, deep / 2]) rotate([90, 0, 0]) cylinder(d = m4, h = 4 * tongue);
    }
}

if (part != "clamp") plate();
if (part != "plate") translate([part == "both" ? 60 : 0, 0, 0]) clamp();
