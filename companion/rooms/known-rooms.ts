import path from 'node:path'
import { z } from 'zod'
import { jsonFile, keptDocument } from '../../platform/json-file.ts'

const most = { rooms: 1000, links: 1000, notes: 2000 }
const Room = z.object({ profileId: z.string(), roomid: z.number(), name: z.string(), creator: z.string() })
const Link = z.object({ profileId: z.string(), cid: z.string(), roomid: z.number() })
const Note = z.object({ profileId: z.string(), accid: z.string(), text: z.string() })
const Document = z.object({
  version: z.literal(1),
  rooms: z.array(Room).max(most.rooms),
  links: z.array(Link).max(most.links),
  notes: z.array(Note).max(most.notes),
})
type Document = z.infer<typeof Document>

/** A hosted room made or added here. */
export type KnownRoom = z.infer<typeof Room>

/** Rooms and links of hosted profiles, and private notes. */
export type KnownRooms = Awaited<ReturnType<typeof openKnownRooms>>

/** Opens DATA/rooms.json; a damaged one is quarantined. The oldest entries are dropped. */
export async function openKnownRooms(dataDir: string) {
  const file = jsonFile(path.join(dataDir, 'rooms.json'), (raw) => Document.parse(raw))
  const document = await keptDocument<Document>(file, { version: 1, rooms: [], links: [], notes: [] })
  const { value } = document
  const change = (update: (now: Document) => Partial<Document>): Promise<void> =>
    document.change((now) => ({ ...now, ...update(now) }))
  return {
    rooms: (profileId: string): KnownRoom[] => value().rooms.filter((room) => room.profileId === profileId),
    noteRoom: (room: KnownRoom) =>
      change(({ rooms }) => {
        const others = rooms.filter(({ profileId, roomid }) => profileId !== room.profileId || roomid !== room.roomid)
        return { rooms: [room, ...others].slice(0, most.rooms) }
      }),
    linked: (profileId: string, cid: string): number | undefined =>
      value().links.find((link) => link.profileId === profileId && link.cid === cid)?.roomid,
    channelOf: (profileId: string, roomid: number): string | undefined =>
      value().links.find((link) => link.profileId === profileId && link.roomid === roomid)?.cid,
    link: (profileId: string, cid: string, roomid: number | null) =>
      change(({ links }) => {
        const others = links.filter(
          (link) => link.profileId !== profileId || (link.cid !== cid && link.roomid !== roomid),
        )
        return { links: (roomid === null ? others : [{ profileId, cid, roomid }, ...others]).slice(0, most.links) }
      }),
    note: (profileId: string, accid: string): string =>
      value().notes.find((note) => note.profileId === profileId && note.accid === accid)?.text ?? '',
    /** An empty text deletes it. */
    setNote: (profileId: string, accid: string, text: string) =>
      change(({ notes }) => {
        const others = notes.filter((note) => note.profileId !== profileId || note.accid !== accid)
        return { notes: (text === '' ? others : [{ profileId, accid, text }, ...others]).slice(0, most.notes) }
      }),
    forgetProfile: (id: string) => {
      const isOther = ({ profileId }: { readonly profileId: string }): boolean => profileId !== id
      return change(({ rooms, links, notes }) => ({
        rooms: rooms.filter(isOther),
        links: links.filter(isOther),
        notes: notes.filter(isOther),
      }))
    },
  }
}
