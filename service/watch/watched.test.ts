import { expect, it } from 'vitest'
import { watched } from './watched.ts'

type Channels = Parameters<typeof watched>[0]
type Rooms = Parameters<typeof watched>[1]

/** What viewers know of a channel and its room with these rows. */
const made = (channel: object = {}, room: object = {}, since?: number, ended?: number, titles: object = {}) =>
  watched(
    {
      get: (cid: string) =>
        cid === 'known'
          ? { row: { uid: 1, name: 'show', disabled: 0, pushKey: 'secret', ...channel }, since, ...titles }
          : undefined,
    } as unknown as Channels,
    {
      ofChannel: (uid: number, cid: string) =>
        uid === 1 && cid === 'known'
          ? {
              row: {
                roomid: 7,
                name: 'room',
                announcement: 'a',
                ext: 'e',
                creator: 'cara',
                valid: 1,
                muted: 0,
                ...room,
              },
            }
          : undefined,
    } as unknown as Rooms,
    { restOf: () => undefined, endOf: () => ended },
  )

it('of a channel viewers know name, whether it is disabled, begin or end of its show, and nothing else', () => {
  expect(made().channel('known')).toEqual({ uid: 1, name: 'show', disabled: false, since: undefined })
  expect(made({ disabled: 1 }, {}, 500).channel('known')).toEqual({ uid: 1, name: 'show', disabled: true, since: 500 })
  expect(made({}, {}, undefined, 700).channel('known')).toMatchObject({ since: undefined, ended: 700 })
  expect(made().channel('unknown')).toBeUndefined()
})

it('a broadcast has its title for viewers from its push on, and while they still get its rest', () => {
  const titleOf = (since: number | undefined, titles: object) =>
    made({}, {}, since, undefined, titles).channel('known')?.title
  const nextTitle = 'Requests'
  expect(titleOf(500, { nextTitle })).toBe('Requests')
  expect(titleOf(500, { nextTitle, title: 'Covers' })).toBe('Requests')
  expect(titleOf(500, { nextTitle, title: 'Covers', broadcastId: 'b' })).toBe('Covers')
  expect(titleOf(500, { nextTitle, broadcastId: 'b' })).toBeUndefined()
  expect(titleOf(undefined, { nextTitle, title: 'Covers' })).toBe('Covers')
})

it('of the linked room viewers know name, announcement, whether it is open and muted, and nothing else', () => {
  const room = { roomid: 7, name: 'room', announcement: 'a' }
  expect(made().room(1, 'known')).toEqual({ ...room, open: true, muted: false })
  expect(made({}, { valid: 0, muted: 1 }).room(1, 'known')).toEqual({ ...room, open: false, muted: true })
  expect([made().room(1, 'unknown'), made().room(2, 'known')]).toEqual([undefined, undefined])
})
