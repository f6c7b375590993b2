import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import type { StoredEvent } from '../events/event.ts'
import { createFanOut } from './fan-out.ts'
import { textFrame } from './frame.ts'
import { createNotificationPreferences } from './notification-preferences.ts'
import type { Session } from './session.ts'
import { startRig, type LinkRig } from './testing/rig.ts'
import { openRaw, type RawLink } from './testing/raw-client.ts'

let rig: LinkRig
beforeEach(async () => {
  rig = await startRig()
  rig.add('ann', 'bob', 'cem', 'dan')
  rig.teams.set(5, { members: new Set(['ann', 'bob', 'cem']), quiet: new Set(['cem']) })
})
afterEach(() => rig.close())

const texts = (frames: readonly object[]): string[] =>
  frames.map((frame) => (JSON.parse((frame as { body: string }).body) as { msg: string }).msg)
const heard = (raw: RawLink): string[] => texts(raw.pushes('message'))

describe('a team event', () => {
  it('is framed once per push flag and the same bytes go to everybody', () => {
    const got = new Map<string, Buffer>()
    const sessions = new Map(
      Array.from({ length: 1000 }, (_, index) => {
        const accid = `m${index}`
        return [
          accid,
          [
            {
              id: accid,
              uid: 1,
              accid,
              clientType: 'IOS',
              offer: (frame: Buffer) => void got.set(accid, frame),
            } as unknown as Session,
          ],
        ] as const
      }),
    )
    const registry = { of: (_uid: number, accid: string) => sessions.get(accid) ?? [] }
    const teams = { membersOf: () => sessions.keys(), quietIn: () => (accid: string) => accid.endsWith('7') }
    const preferences = createNotificationPreferences({
      accounts: { find: () => undefined },
      teams,
      relations: { hasQuieted: () => false },
      sessions: registry,
    })
    const event: StoredEvent = {
      uid: 1,
      seq: 9,
      at: 10,
      from: 'm0',
      to: { tid: 5 },
      origin: 'm0',
      keep: { history: true, roam: true, offline: true },
      frame: {
        t: 'message',
        seq: 9,
        at: 10,
        scene: 'team',
        from: 'm0',
        to: '5',
        type: 0,
        body: '{}',
        fromClientType: 'REST',
        push: true,
        badge: true,
      },
    }
    createFanOut(registry, teams, preferences)(event)
    expect(got.size).toBe(999)
    expect(new Set(got.values()).size).toBe(2)
    const read = (accid: string): unknown => JSON.parse(got.get(accid)!.subarray(4).toString())
    expect(read('m1')).toEqual(event.frame)
    expect(read('m7')).toEqual({ ...event.frame, push: false })
  })

  it.each([0, 1, 125, 126, 65_535, 65_536, 70_000])(
    'is framed as the library reads it, at %i bytes',
    async (length) => {
      const ann = await rig.enter('ann')
      const got: string[] = []
      ann.socket.removeAllListeners('message')
      ann.socket.on('message', (data) => got.push((data as Buffer).toString()))
      const text = 'é'.repeat(length >> 1) + 'x'.repeat(length % 2)
      rig.sessions.tell(7, 'ann', { t: 'x' })
      expect(textFrame(text).length).toBe(length + (length <= 125 ? 2 : length <= 65_535 ? 4 : 10))
      rig.sessions.tell(7, 'ann', { t: text })
      await eventually(() => expect(got).toEqual(['{"t":"x"}', JSON.stringify({ t: text })]))
    },
  )

  it('reaches the members and the other devices of its sender, with push as each wants it', async () => {
    const [ann, bob, cem, dan] = [
      await rig.enter('ann'),
      await rig.enter('bob'),
      await rig.enter('cem'),
      await rig.enter('dan'),
    ]
    const phone = await rig.enter('ann', { device: 'phone', clientType: 'AOS' })
    const sent = await ann.ask('send', { scene: 'team', to: '5', type: 0, body: '{"msg":"hello"}' })
    await rig.publish('ann', 'dan', 'to dan')
    for (const raw of [bob, cem, dan, phone])
      await eventually(() => expect(raw.pushes('message').length).toBeGreaterThan(0))
    expect(bob.pushes('message')).toMatchObject([
      {
        seq: sent['msgid'],
        at: sent['timetag'],
        scene: 'team',
        from: 'ann',
        to: '5',
        push: true,
        fromClientType: 'WEB',
      },
    ])
    expect(cem.pushes('message')).toMatchObject([{ seq: sent['msgid'], push: false, badge: true }])
    await eventually(() => expect(heard(phone)).toEqual(['hello', 'to dan']))
    await eventually(() => expect(heard(ann)).toEqual(['to dan']))
    expect(heard(dan)).toEqual(['to dan'])
  })

  it('is kept from a sender whose devices are not synchronised, and from everybody but the sender when it is hidden', async () => {
    const [ann, bob] = [await rig.enter('ann'), await rig.enter('bob')]
    await rig.publish('ann', 5, 'alone', { sync: false })
    await rig.publish('ann', 'bob', 'alone too', { sync: false })
    await rig.publish('ann', 'bob', 'hidden', { hidden: true })
    await rig.publish('ann', 'bob', 'end')
    await eventually(() => expect(heard(bob)).toEqual(['alone', 'alone too', 'end']))
    await eventually(() => expect(heard(ann)).toEqual(['hidden', 'end']))
  })
})

describe('the receivers of an event', () => {
  /** Who gets the push of an event, with whether it has a seq; the members of team 5 are ann, bob and cem. */
  const receiversOf = (more: Partial<StoredEvent>): string[] => {
    const got: string[] = []
    const sessionOf = (accid: string) =>
      ({
        id: `${accid} web`,
        accid,
        offer: (frame: Buffer, seq?: number) => {
          const { msgid } = JSON.parse(frame.subarray(frame.indexOf('{')).toString()) as { msgid?: number }
          got.push(
            [
              accid,
              ...(seq === undefined ? [] : [`seq ${seq}`]),
              ...(msgid === undefined ? [] : [`msgid ${msgid}`]),
            ].join(' '),
          )
        },
      }) as unknown as Session
    const known = new Map(['ann', 'bob', 'cem', 'dan'].map((accid) => [accid, [sessionOf(accid)]]))
    const registry = { of: (uid: number, accid: string) => (uid === 1 ? (known.get(accid) ?? []) : []) }
    const preferences = { of: () => () => undefined, on: () => undefined }
    const deliver = createFanOut(
      registry,
      { membersOf: (_uid, tid) => (tid === 5 ? ['ann', 'bob', 'cem'] : []) },
      preferences,
    )
    const frame = { t: 'message', seq: 9, at: 10 } as StoredEvent['frame']
    const keep = { history: true, roam: true, offline: true }
    deliver({ uid: 1, seq: 9, at: 10, from: 'ann', to: { tid: 5 }, keep, frame, ...more })
    return got
  }
  const [ann, bob, cem, dan] = ['ann seq 9', 'bob seq 9', 'cem seq 9', 'dan seq 9']

  it('are the members of a team and extra ones, each once, and the sender where its devices are synchronised', () => {
    expect(receiversOf({})).toEqual([ann, bob, cem])
    expect(receiversOf({ extraRecipients: ['dan', 'bob'] })).toEqual([ann, bob, cem, dan])
    expect(receiversOf({ sync: false })).toEqual([bob, cem])
    expect(receiversOf({ sync: false, extraRecipients: ['dan', 'ann'] })).toEqual([bob, cem, dan])
    expect(receiversOf({ to: { tid: 6 } })).toEqual([])
  })

  it('are the accounts it is for, extra ones and the sender', () => {
    const to = { accids: ['bob', 'bob'] }
    expect(receiversOf({ to })).toEqual([bob, ann])
    expect(receiversOf({ to, extraRecipients: ['dan'] })).toEqual([bob, dan, ann])
    expect(receiversOf({ to, sync: false, extraRecipients: ['dan'] })).toEqual([bob, dan])
  })

  it('of a hidden one are the sender alone, or nobody', () => {
    for (const to of [{ tid: 5 }, { accids: ['bob'] }] as const)
      expect([receiversOf({ to, hidden: true }), receiversOf({ to, hidden: true, sync: false })]).toEqual([[ann], []])
  })

  it('are of its application, without the session that sent it', () => {
    expect(receiversOf({ uid: 2 })).toEqual([])
    expect(receiversOf({ origin: 'ann web' })).toEqual([bob, cem])
  })

  it('get no seq of one that is read nowhere later, but the msgid of a message', () => {
    const keep = { history: true, roam: false, offline: false }
    expect(receiversOf({ keep })).toEqual(['ann msgid 9', 'bob msgid 9', 'cem msgid 9'])
    expect(receiversOf({ keep, frame: { t: 'recall', seq: 9 } as StoredEvent['frame'] })).toEqual(['ann', 'bob', 'cem'])
    expect(receiversOf({ keep: { ...keep, offline: true } })).toEqual([ann, bob, cem])
    expect(receiversOf({ keep: { ...keep, roam: true } })).toEqual([ann, bob, cem])
  })
})

describe('a one-to-one event', () => {
  it('comes without push and badge from who is on the mute list, live and later', async () => {
    rig.quieted.add('bob ann')
    const bob = await rig.enter('bob')
    await rig.publish('ann', 'bob', 'hush')
    await eventually(() => expect(bob.pushes('message')).toMatchObject([{ push: false, badge: false }]))
    const again = await rig.enter('bob', { device: 'other', clientType: 'PC' })
    const part = await again.ask('sync', { after: 0 })
    expect(part['events']).toMatchObject([{ push: false, badge: false }])
  })

  it('comes without push to a phone while its owner sits at a desktop and wants it so', async () => {
    rig.accounts.get('bob')!.donnop = true
    const phone = await rig.enter('bob', { device: 'phone', clientType: 'IOS' })
    await rig.publish('ann', 'bob', 'one')
    await eventually(() => expect(phone.pushes('message')).toMatchObject([{ push: true }]))
    const desktop = await rig.enter('bob', { device: 'pc', clientType: 'PC' })
    await rig.publish('ann', 'bob', 'two')
    await eventually(() => expect(phone.pushes('message')).toMatchObject([{ push: true }, { push: false }]))
    await eventually(() => expect(desktop.pushes('message')).toMatchObject([{ push: true }]))
  })

  it('that is not kept has no seq and is not read again', async () => {
    const bob = await rig.enter('bob')
    const seq = await rig.publish('ann', 'bob', 'gone', { keep: { history: true, roam: false, offline: false } })
    await eventually(() => expect(bob.pushes('message')).toMatchObject([{ msgid: seq }]))
    expect(bob.pushes('message')[0]).not.toHaveProperty('seq')
    expect((await bob.ask('sync', { after: 0 }))['events']).toEqual([])
  })
})

describe('what was missed', () => {
  it('comes in parts of 100 and in order, while new events come, each once', async () => {
    for (let index = 0; index < 250; index++) await rig.publish('ann', 'bob', `${index}`)
    const reader = await openRaw(rig.url)
    const answer = await reader.ask('login', rig.credentials('bob'))
    const seen: string[] = []
    let more = true
    let late = 250
    for (let after = answer.seq!; more;) {
      const publishing = Promise.all([rig.publish('ann', 'bob', `${late++}`), rig.publish('ann', 'bob', `${late++}`)])
      const part = await reader.ask('sync', { after })
      const events = part['events'] as object[]
      expect(events.length).toBeLessThanOrEqual(100)
      seen.push(...texts(events))
      after = part.seq!
      more = part['more'] === true
      await publishing
    }
    await rig.publish('ann', 'bob', `${late++}`)
    await eventually(() =>
      expect([...seen, ...heard(reader)]).toEqual(Array.from({ length: late }, (_, index) => `${index}`)),
    )
  })

  it('is held back until the client has caught up, also more than can be held', async () => {
    const reader = await openRaw(rig.url)
    const { seq } = await reader.ask('login', rig.credentials('bob'))
    for (let index = 0; index < 300; index++) await rig.publish('ann', 'bob', `${index}`)
    await rig.publish('ann', 'bob', 'only now', { keep: { history: false, roam: false, offline: false } })
    expect(heard(reader)).toEqual([])
    const seen: string[] = []
    for (let after = seq!, more = true; more;) {
      const part = await reader.ask('sync', { after })
      seen.push(...texts(part['events'] as object[]))
      after = part.seq!
      more = part['more'] === true
    }
    expect(seen).toEqual(Array.from({ length: 300 }, (_, index) => `${index}`))
    await rig.publish('ann', 'bob', 'live')
    await eventually(() => expect(heard(reader)).toEqual(['live']))
  })

  it('begins where the device stopped, and with what roams on a device that is new', async () => {
    const first = await rig.enter('bob', { device: 'one' })
    const seq = await rig.publish('ann', 'bob', 'roams')
    await rig.publish('ann', 'bob', 'offline only', { keep: { history: true, roam: false, offline: true } })
    await eventually(() => expect(heard(first)).toHaveLength(2))
    await first.ask('received', { upTo: first.pushes('message')[1]!.seq! })
    first.socket.close()
    await first.closed
    const read = async (device: string, after?: number): Promise<string[]> => {
      const raw = await openRaw(rig.url)
      const answer = await raw.ask('login', rig.credentials('bob', { device, ...(after !== undefined && { after }) }))
      const part = await raw.ask('sync', { after: answer.seq! })
      raw.socket.close()
      await raw.closed
      return texts(part['events'] as object[])
    }
    expect(await read('one')).toEqual([])
    expect(await read('two')).toEqual(['roams'])
    await rig.publish('ann', 'bob', 'later')
    expect(await read('one')).toEqual(['later'])
    expect(await read('one', seq - 1)).toEqual(['roams', 'later'])
  })
})

describe('presence', () => {
  it('is told to who watches, by kind of client, until something else is watched', async () => {
    const ann = await rig.enter('ann')
    expect((await ann.ask('watch', { accids: ['BOB', 'cem', 'nobody'] }))['presence']).toEqual([
      { accid: 'bob', online: false, clientTypes: [] },
      { accid: 'cem', online: false, clientTypes: [] },
      { accid: 'nobody', online: false, clientTypes: [] },
    ])
    const bob = await rig.enter('bob')
    const phone = await rig.enter('bob', { device: 'phone', clientType: 'IOS' })
    bob.socket.close()
    await bob.closed
    await eventually(() => expect(ann.pushes('presence')).toHaveLength(3))
    phone.socket.close()
    await phone.closed
    const was = (...clientTypes: string[]) => ({
      t: 'presence',
      accid: 'bob',
      online: clientTypes.length > 0,
      clientTypes,
    })
    await eventually(() => expect(ann.pushes('presence')).toEqual([was('WEB'), was('WEB', 'IOS'), was('IOS'), was()]))
    await ann.ask('watch', { accids: ['cem'] })
    await rig.enter('bob')
    await rig.enter('cem')
    await eventually(() => expect(ann.pushes('presence')).toHaveLength(5))
    expect(ann.pushes('presence')[4]).toMatchObject({ accid: 'cem', online: true })
  })
})
