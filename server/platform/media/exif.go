package media

import "encoding/binary"

// The orientation is the one part of Exif that stays, as photographs would lie
// on their side without it.

// maxExif bounds the read part of Exif.
const maxExif = 64 << 10

// orientation returns the tag 0x0112 of a TIFF header with its first directory;
// 1, for none. Shape: TIFF 6.0, section 2.
func orientation(tiff []byte) uint16 {
	var order binary.ByteOrder
	switch {
	case len(tiff) < 8:
		return 1
	case string(tiff[:4]) == "II*\x00":
		order = binary.LittleEndian
	case string(tiff[:4]) == "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	n := int64(order.Uint16(tiff[at:]))
	for i := range n {
		entry := at + 2 + 12*i
		if entry+12 > int64(len(tiff)) {
			return 1
		}
		if order.Uint16(tiff[entry:]) == 0x0112 && order.Uint16(tiff[entry+2:]) == 3 {
			if o := order.Uint16(tiff[entry+8:]); o >= 1 && o <= 8 {
				return o
			}
			return 1
		}
	}
	return 1
}

// onlyOrientation returns a TIFF header with nothing but this tag.
func onlyOrientation(o uint16) []byte {
	return []byte{
		'M', 'M', 0, '*', 0, 0, 0, 8, // a directory follows
		0, 1, // of one entry
		0x01, 0x12, 0, 3, 0, 0, 0, 1, byte(o >> 8), byte(o), 0, 0,
		0, 0, 0, 0, // and no other
	}
}
