import { z } from 'zod'

/** Id of a profile. */
export const profileId = z.string().min(1).max(64)
/** Id of a channel. */
export const cid = z.string().regex(/^[0-9a-f]{32}$/)
/** Name of an account, in lower case. */
export const accid = z.string().regex(/^[a-z0-9_@.-]{1,32}$/)
/** Number of a room. */
export const roomid = z.number().int().min(1)
/** Id of a seat. */
export const seatId = z.string().regex(/^[0-9a-f]{16}$/)
/** A port; 0 takes any free one. */
export const anyPort = z.number().int().min(0).max(65_535)
/** Input that names a profile. */
export const onProfile = z.strictObject({ profileId })
/** Input that names a channel. */
export const onChannel = z.strictObject({ profileId, cid })
/** How many of the newest entries are asked for. */
export const newest = z.strictObject({ profileId, limit: z.number().int().min(1).max(500) })
