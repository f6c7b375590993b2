import { describe, expect, it } from 'vitest'
import type { AppEvent, RoomPanel } from '../../contract/rpc/index.ts'
import type { ConnectedSeat } from '../lines/connected-seat.ts'
import { procedures } from './procedures.ts'
import { panelFor, isOfModerators, isSeatRead, mayCall, seatCalls, seatEvent } from './seat-gate.ts'

const cid = 'c'.repeat(32)
const other = 'd'.repeat(32)
const seatAt = (channel: string | null): ConnectedSeat =>
  ({ id: 's', profileId: 'p', roomid: 7, accid: 'mei', name: 'Mei', cid: () => channel }) as unknown as ConnectedSeat
const seat = seatAt(cid)
const may = (path: string, input: unknown, as = seat): boolean => mayCall(as, path.split('.'), input)
const event = (told: object): AppEvent | undefined => seatEvent(told as AppEvent, seat)

describe('a moderator may call', () => {
  it.each([
    ['a profile', 'channels.list', { profileId: 'p' }, [{ profileId: 'q' }, {}, undefined, ['p']]],
    [
      'a room',
      'rooms.leave',
      { profileId: 'p', roomid: 7 },
      [{ profileId: 'p', roomid: 8 }, { profileId: 'q', roomid: 7 }, { profileId: 'p' }, { roomid: 7 }],
    ],
    [
      'a channel',
      'preview.open',
      { profileId: 'p', cid },
      [{ profileId: 'p', cid: other }, { profileId: 'q', cid }, { profileId: 'p' }],
    ],
    [
      'a room in a call',
      'rooms.history',
      { profileId: 'p', call: { roomid: 7 } },
      [
        { profileId: 'p', call: { roomid: 8 } },
        { profileId: 'q', call: { roomid: 7 } },
        { profileId: 'p', roomid: 7 },
      ],
    ],
  ])('what names %s only for their own: %s', (_what, path, own, others) => {
    expect(may(path, own)).toBe(true)
    for (const input of others) expect(may(path, input), JSON.stringify(input)).toBe(false)
  })

  it('nothing of a channel while their room has none', () => {
    for (const named of [{ cid: null }, { cid }, {}])
      expect(may('preview.open', { profileId: 'p', ...named }, seatAt(null))).toBe(false)
  })

  it('no measure on robots, and no entry that makes a new token of the host', () => {
    const act = (kind: string): boolean => may('rooms.act', { profileId: 'p', roomid: 7, measure: { kind } })
    expect([act('robots'), act('mute')]).toEqual([false, true])
    const enter = (renew: boolean): boolean => may('rooms.enter', { profileId: 'p', roomid: 7, renew })
    expect([enter(true), enter(false)]).toEqual([false, true])
  })

  it('nothing that is for pages of this computer or not known', () => {
    for (const path of ['rooms.note', 'rooms.link', 'push.reveal', 'seats.board', 'none', 'app'])
      expect(may(path, { profileId: 'p', roomid: 7, cid, accid: 'a' }), path).toBe(false)
    expect(seatCalls).not.toContain('push.reveal')
    expect(seatCalls).toContain('rooms.act')
  })
})

describe('of what happens a moderator is told', () => {
  it('nothing of other channels, rooms and profiles', () => {
    const figures = { type: 'figures', at: 1, figures: null }
    expect(event({ ...figures, profileId: 'p', cid })).toBeDefined()
    for (const of of [
      { profileId: 'p', cid: other },
      { profileId: 'q', cid },
    ])
      expect(event({ ...figures, ...of })).toBeUndefined()
    expect(event({ type: 'roomPush', profileId: 'p', roomid: 7 })).toBeDefined()
    for (const of of [
      { profileId: 'p', roomid: 8 },
      { profileId: 'q', roomid: 7 },
    ]) {
      expect(event({ type: 'roomPush', ...of })).toBeUndefined()
      expect(event({ type: 'room', panel: { ...of, accid: 'host' } })).toBeUndefined()
    }
    expect(event({ type: 'tallies', profileId: 'q', fault: null, tallies: [] })).toBeUndefined()
  })

  it('the tally of their own channel, without the time of its key and why it is not known', () => {
    const tallies = [cid, other].map((each) => ({ cid: each, status: 1, keyExpires: 9 }))
    const told = { type: 'tallies', profileId: 'p', tallies }
    const own = [{ cid, status: 1, keyExpires: null }]
    expect(event({ ...told, fault: null })).toEqual({ ...told, fault: null, tallies: own })
    expect(event({ ...told, fault: 'slept' })).toEqual({ ...told, fault: 'withheld', tallies: own })
  })

  it('no address, key or name of a service, and no other service', () => {
    const profile = {
      kind: 'hosted',
      extended: true,
      media: 'x',
      name: 'n',
      liveUrl: 'l',
      messagingUrl: 'm',
      appKey: 'a',
      secret: 'missing',
    }
    const profiles = ['p', 'q'].map((id) => ({ id, ...profile }))
    const unseen = { media: null, name: '', liveUrl: '', messagingUrl: '', appKey: '', secret: 'keychain' }
    expect(event({ type: 'profiles', profiles })).toEqual({
      type: 'profiles',
      profiles: [{ ...unseen, id: 'p', kind: 'hosted', extended: true }],
    })
  })

  it('whether the service runs, without its addresses, notes and database', () => {
    const service = { phase: 'ready', since: 1, attempt: 2, attempts: 3, nextAttempt: 4, timeZone: 'UTC' }
    const more = { addresses: { media: 'm' }, notes: ['n'], database: { kind: 'damaged' }, reason: 'r', diskFree: 5 }
    const told = event({ type: 'service', service: { ...service, ...more } })
    expect(told).toMatchObject({ service })
    expect(told).toMatchObject({
      service: { addresses: null, notes: [], database: null, reason: null, diskFree: null },
    })
  })

  it('of the settings those of rooms', () => {
    const settings = {
      mutePresets: [1],
      roomKeys: { mute: 'm' },
      theme: 'dark',
      globalKeys: { a: 'b' },
      notices: ['n'],
    }
    expect(event({ type: 'settings', settings })).toMatchObject({
      settings: { mutePresets: [1], roomKeys: { mute: 'm' }, theme: 'system', globalKeys: {}, notices: [] },
    })
  })

  it('nothing of what is for the host: recordings, receivers, seats, OBS', () => {
    for (const type of ['recording', 'recorded', 'push', 'delivery', 'copy', 'seats', 'obs', 'computer', 'link'])
      expect(event({ type, profileId: 'p', cid, roomid: 7 }), type).toBeUndefined()
  })

  it('of their room under their own name, without the address that copies come to', () => {
    const panel = { profileId: 'p', roomid: 7, accid: 'host', copies: { url: 'http://10.0.0.1/', got: 1 } }
    const shown = { ...panel, accid: 'mei', copies: { url: null, got: 1 } }
    expect(event({ type: 'room', panel })).toEqual({ type: 'room', panel: shown })
    expect(panelFor(panel as unknown as RoomPanel, undefined)).toEqual(panel)
  })
})

describe('a procedure of moderators', () => {
  it('counts as a read where it asks the service, and not where it looks into memory', () => {
    const isRead = (path: string): boolean => isSeatRead(path.split('.'))
    for (const path of ['channels.list', 'rooms.list', 'rooms.history', 'operations.local.muted', 'rooms.enter'])
      expect(isRead(path), path).toBe(true)
    for (const path of ['rooms.leave', 'rooms.panels', 'rooms.say', 'rooms.act']) expect(isRead(path), path).toBe(false)
  })

  it('shows more than viewers see where it is of lines, measures and who is muted', () => {
    const shows = (path: string): boolean => isOfModerators(path.split('.'))
    for (const path of [
      'rooms.actions',
      'rooms.history',
      'operations.local.muted',
      'operations.local.blacklisted',
      'operations.local.held',
    ])
      expect(shows(path), path).toBe(true)
    for (const path of ['rooms.list', 'channels.list', 'rooms.act', 'none']) expect(shows(path), path).toBe(false)
  })

  it('may be called as the contract lists it', () => {
    expect(seatCalls).toEqual([...procedures].flatMap(([name, { seat: rule }]) => (rule ? [name] : [])))
  })
})

describe('an event for a moderator', () => {
  it('has figures and pushes as they are, and nothing of channels', () => {
    const figures = { type: 'figures', at: 1, figures: null, profileId: 'p', cid }
    expect(event(figures)).toEqual(figures)
    const push = { type: 'roomPush', profileId: 'p', roomid: 7, push: { t: 'roomOut', roomid: 7, reason: 'closed' } }
    expect(event(push)).toEqual(push)
    expect(event({ type: 'channels', profileId: 'p' })).toBeUndefined()
  })

  it('has no tally while the room has no channel', () => {
    const told = { type: 'tallies', profileId: 'p', fault: null, tallies: [{ cid, status: 1, keyExpires: 9 }] }
    expect(seatEvent(told as unknown as AppEvent, seatAt(null))).toMatchObject({ tallies: [] })
  })

  it('has the phase and attempts of the service, but not since when it is busy', () => {
    const service = { phase: 'restarting', since: 1, attempt: 2, attempts: 5, nextAttempt: 9, timeZone: 'UTC' }
    expect(event({ type: 'service', service: { ...service, busySince: 3, recordingRoom: 4, diskFree: 5 } })).toEqual({
      type: 'service',
      service: {
        ...service,
        busySince: null,
        reason: null,
        addresses: null,
        notes: [],
        diskFree: null,
        recordingRoom: null,
        database: null,
      },
    })
  })
})
