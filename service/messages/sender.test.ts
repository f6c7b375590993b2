import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { outgoing, outgoingNotification, startSender, type SenderRig } from './testing/rig.ts'

let rig: SenderRig
beforeEach(async () => {
  rig = await startSender()
})
afterEach(() => rig.close())

const code = async (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(() => 200).catch((error: { code?: unknown }) => error.code)
const missed = async (accid: string) =>
  (await rig.stream.since({ uid: 1, accid, after: 0, limit: 100 })).events.map(({ frame }) => frame)
const historyOf = async (accid: string, other: string) =>
  (await rig.stream.history({ uid: 1, accid, peer: { scene: 'p2p', accid: other }, ascending: true, limit: 100 })).map(
    ({ frame }) => frame,
  )
const option = (values: object) => ({ option: JSON.stringify(values) })

describe('a message', () => {
  it('is stored, delivered with its fields, and copied', async () => {
    const { msgid, timetag, antispam } = await rig.sender.send(
      outgoing({
        ext: 'e',
        pushcontent: 'p',
        payload: '{"a":1}',
        clientType: 'AOS',
        device: 'd1',
        session: 's1',
        clientId: 'c1',
        resend: 1,
        to: 'BOB',
      }),
    )
    expect([timetag, antispam]).toEqual([rig.clock.now(), false])
    const frame = {
      t: 'message',
      seq: msgid,
      at: timetag,
      scene: 'p2p',
      from: 'ann',
      to: 'bob',
      type: 0,
      body: '{"msg":"hello"}',
      ext: 'e',
      clientId: 'c1',
      resend: 1,
      fromNick: 'Ann',
      fromClientType: 'AOS',
      push: true,
      badge: true,
      needPushNick: true,
      pushcontent: 'p',
      payload: '{"a":1}',
    }
    expect(rig.delivered).toEqual([
      expect.objectContaining({ seq: msgid, from: 'ann', to: { accids: ['bob'] }, origin: 's1', frame }),
    ])
    expect(await historyOf('bob', 'ann')).toEqual([frame])
    expect(rig.copies).toEqual([
      {
        eventType: '1',
        convType: 'PERSON',
        to: 'bob',
        fromAccount: 'ann',
        fromClientType: 'AOS',
        fromDeviceId: 'd1',
        fromNick: 'Ann',
        msgTimestamp: String(timetag),
        msgType: 'TEXT',
        body: 'hello',
        msgidClient: 'c1',
        msgidServer: String(msgid),
        resendFlag: '1',
        ext: 'e',
      },
    ])
  })

  it('to a team reaches its members, and its copy names all but the sender', async () => {
    await rig.sender.send(outgoing({ scene: 'team', to: '7', type: 100, body: '{"x":1}' }))
    expect(rig.delivered[0]).toMatchObject({ to: { tid: 7 }, frame: { scene: 'team', to: '7', type: 100 } })
    expect(rig.copies[0]).toMatchObject({
      convType: 'TEAM',
      to: '7',
      msgType: 'CUSTOM',
      attach: '{"x":1}',
      tMembers: '[bob]',
      resendFlag: '0',
    })
  })

  it.each([
    ['a sender who is not registered', { from: 'nobody' }, 414],
    ['a receiver who is not registered', { to: 'nobody' }, 414],
    ['a receiver who cannot exist', { to: 'no body' }, 414],
    ['a team that is not there', { scene: 'team', to: '8' }, 414],
    ['a team that cannot exist', { scene: 'team', to: 'x' }, 414],
    ['a team that the sender is not in', { scene: 'team', to: '7', from: 'eve' }, 403],
    ['a type that there is not', { type: 5 }, 414],
    ['a body without its text', { body: '{}' }, 414],
    ['an option of a wrong type', option({ push: 'maybe' }), 414],
  ] as const)('is refused for %s', async (_what, more, expected) => {
    expect(await code(rig.sender.send(outgoing(more)))).toBe(expected)
    expect([rig.delivered, rig.copies]).toEqual([[], []])
  })

  it('is refused for a member that may not speak, and so is a notification', async () => {
    rig.muted.add('ann')
    expect(await code(rig.sender.send(outgoing({ scene: 'team', to: '7' })))).toBe(403)
    expect(await code(rig.sender.notify(outgoingNotification({ scene: 'team', to: '7' })))).toBe(403)
    expect(await code(rig.sender.send(outgoing({ scene: 'team', to: '7', from: 'bob' })))).toBe(200)
  })

  it('of a sender on the blacklist looks sent, stays with its sender, and reaches nobody', async () => {
    rig.blacklisted.add('bob ann')
    const receipt = await rig.sender.send(outgoing())
    expect(Object.keys(receipt)).toEqual(['msgid', 'timetag', 'antispam'])
    expect(receipt.antispam).toBe(false)
    expect(rig.delivered[0]!.hidden).toBe(true)
    expect([(await historyOf('ann', 'bob')).length, (await historyOf('bob', 'ann')).length]).toEqual([1, 0])
    expect([(await missed('ann')).length, (await missed('bob')).length]).toEqual([1, 0])
    expect((await rig.stream.unread(1, 'bob')).total).toBe(0)
    await rig.sender.send(outgoing({ from: 'bob', to: 'ann' }))
    expect((await missed('ann')).length).toBe(2)
  })

  it('of a sender on the mute list is delivered and does not count as unread', async () => {
    rig.quieted.add('bob ann')
    await rig.sender.send(outgoing())
    expect([(await missed('bob')).length, (await rig.stream.unread(1, 'bob')).total]).toEqual([1, 0])
  })

  it('caught by the word list is copied with antispam, and reaches nobody', async () => {
    rig.words.add('bad')
    expect((await rig.sender.send(outgoing({ body: '{"msg":"a bad word"}' }))).antispam).toBe(true)
    expect((await rig.sender.send(outgoing({ scene: 'team', to: '7', body: '{"msg":"bad"}' }))).antispam).toBe(true)
    expect(rig.copies.map(({ antispam }) => antispam)).toEqual(['true', 'true'])
    expect([(await missed('ann')).length, (await missed('bob')).length]).toEqual([2, 0])
    expect((await rig.sender.send(outgoing())).antispam).toBe(false)
    expect(rig.copies[2]).not.toHaveProperty('antispam')
  })

  it('is checked by antispamCustom where that is asked for, else by what people read of it', async () => {
    rig.words.add('bad')
    const caught = async (more: Parameters<typeof outgoing>[0]): Promise<boolean> =>
      (await rig.sender.send(outgoing(more))).antispam
    expect(await caught({ body: '{"msg":"bad"}', antispam: true, antispamCustom: 'good' })).toBe(false)
    expect(await caught({ antispam: true, antispamCustom: 'bad' })).toBe(true)
    expect(await caught({ antispam: true, antispamCustom: '{"type":1,"data":"b\\u0061d"}' })).toBe(true)
    expect(await caught({ antispamCustom: 'bad' })).toBe(false)
    expect(await caught({ body: '{"msg":"bad"}', antispam: true })).toBe(true)
    expect(await caught({ type: 1, body: '{"url":"http://h/bad.png","md5":"bad"}' })).toBe(false)
    expect(await caught({ type: 6, body: '{"url":"http://h/f","name":"bad.pdf"}' })).toBe(true)
    expect(await caught({ type: 4, body: '{"title":"bad","lng":1,"lat":2}' })).toBe(true)
    expect(await caught({ type: 100, body: '{"a":[{"b":"ba\\u0064"}]}' })).toBe(true)
    expect(await caught({ type: 2, body: '{"url":"http://h/bad.aac","dur":5,"ext":"aac"}' })).toBe(false)
  })

  it.each([
    ['ext', { ext: '{"a":"ba\\u0064"}' }],
    ['pushcontent', { pushcontent: 'bad' }],
    ['payload', { payload: '{"a":"bad"}' }],
    ['the words of a forced push', { forcePush: { all: true, accids: [], content: 'bad' }, scene: 'team', to: '7' }],
  ] as const)('is caught by the word list for %s too', async (_what, more) => {
    rig.words.add('bad')
    expect((await rig.sender.send(outgoing(more))).antispam).toBe(true)
    expect(await missed('bob')).toEqual([])
  })

  it('sent twice with the same client id is taken once', async () => {
    const [one, two] = await Promise.all([
      rig.sender.send(outgoing({ clientId: 'c' })),
      rig.sender.send(outgoing({ clientId: 'c', resend: 1 })),
    ])
    expect(two).toEqual(one)
    expect(await rig.sender.send(outgoing({ clientId: 'c' }))).toEqual(one)
    expect([rig.delivered.length, rig.copies.length]).toEqual([1, 1])
    expect((await rig.sender.send(outgoing({ clientId: 'c', from: 'eve' }))).msgid).not.toBe(one.msgid)
  })

  it('to oneself stands once in the conversation, and is not unread', async () => {
    await rig.sender.send(outgoing({ to: 'ann' }))
    expect([
      (await missed('ann')).length,
      (await historyOf('ann', 'ann')).length,
      (await rig.stream.unread(1, 'ann')).total,
    ]).toEqual([1, 1, 0])
  })
})

describe('an option of a message', () => {
  it('history false keeps it out of the history only', async () => {
    await rig.sender.send(outgoing(option({ history: false })))
    expect([(await historyOf('bob', 'ann')).length, (await missed('bob')).length]).toEqual([0, 1])
  })
  it('roam false keeps it from devices that come later', async () => {
    await rig.sender.send(outgoing(option({ roam: false })))
    expect((await missed('bob')).length).toBe(1)
    await rig.stream.received(1, 'bob', 'phone', rig.stream.committed())
    expect((await missed('bob')).length).toBe(0)
  })
  it('persistent false keeps it from who is offline', async () => {
    await rig.sender.send(outgoing(option({ persistent: 0 })))
    expect([(await missed('bob')).length, (await historyOf('bob', 'ann')).length, rig.delivered.length]).toEqual([
      0, 1, 1,
    ])
  })
  it("sendersync false keeps it from the sender's other devices", async () => {
    await rig.sender.send(outgoing(option({ sendersync: 'false' })))
    expect(rig.delivered[0]!.sync).toBe(false)
    expect([(await missed('ann')).length, (await missed('bob')).length]).toEqual([0, 1])
  })
  it('push false takes push and its text away', async () => {
    await rig.sender.send(outgoing({ ...option({ push: false }), pushcontent: 'p', payload: '{}' }))
    expect(rig.delivered[0]!.frame).toMatchObject({ push: false, badge: true })
    expect(rig.delivered[0]!.frame).not.toHaveProperty('pushcontent')
    expect(rig.delivered[0]!.frame).not.toHaveProperty('payload')
  })
  it('badge false does not count as unread', async () => {
    await rig.sender.send(outgoing(option({ badge: false })))
    expect(rig.delivered[0]!.frame).toMatchObject({ push: true, badge: false })
    expect((await rig.stream.unread(1, 'bob')).total).toBe(0)
  })
  it('needPushNick false says so', async () => {
    await rig.sender.send(outgoing(option({ needPushNick: false })))
    expect(rig.delivered[0]!.frame).toMatchObject({ needPushNick: false })
  })
  it('route false makes no copy, nor does a service that copies nothing', async () => {
    await rig.sender.send(outgoing(option({ route: false })))
    await rig.sender.notify(outgoingNotification(option({ route: false })))
    rig.copying.on = false
    await rig.sender.send(outgoing())
    expect([rig.copies.length, rig.delivered.length]).toEqual([0, 3])
  })
  it('forcePush names valid members of a team, never the sender, and nobody in a conversation of two', async () => {
    const forcePush = (all: boolean, accids: string[]) => ({ forcePush: { all, accids, content: 'now' } })
    const frames = async (more: Parameters<typeof outgoing>[0]) => {
      await rig.sender.send(outgoing({ scene: 'team', to: '7', ...more }))
      return rig.delivered.at(-1)!.frame
    }
    expect(await frames(forcePush(false, ['bob', 'ann', 'eve', 'bob']))).toMatchObject({
      forcePush: { all: false, accids: ['bob'], content: 'now' },
    })
    expect(await frames(forcePush(true, []))).toMatchObject({ forcePush: { all: true, accids: [], content: 'now' } })
    expect(await frames(forcePush(false, ['eve']))).not.toHaveProperty('forcePush')
    expect(await frames({ ...forcePush(true, []), scene: 'p2p', to: 'bob' })).not.toHaveProperty('forcePush')
  })
})

describe('a notification', () => {
  it('is delivered with its fields, kept for the offline only, not synchronised, and copied', async () => {
    const { msgid, timetag } = await rig.sender.notify(
      outgoingNotification({ pushcontent: 'p', payload: '{}', sound: 's.caf' }),
    )
    const frame = {
      t: 'notification',
      seq: msgid,
      at: timetag,
      msgid,
      scene: 'p2p',
      from: 'ann',
      to: 'bob',
      attach: '{"k":1}',
      push: true,
      badge: true,
      needPushNick: false,
      pushcontent: 'p',
      payload: '{}',
      sound: 's.caf',
    }
    expect(rig.delivered[0]).toMatchObject({ frame, sync: false, keep: { history: false, roam: false, offline: true } })
    expect([await missed('bob'), await missed('ann'), await historyOf('bob', 'ann')]).toEqual([[frame], [], []])
    expect(rig.copies[0]).toMatchObject({
      convType: 'CUSTOM_PERSON',
      msgType: 'CUSTOM_P2P_MSG',
      attach: '{"k":1}',
      customSafeFlag: '1',
      customApnsText: 'p',
      msgidServer: String(msgid),
    })
  })
  it.each([
    ['attach', { attach: '{"k":"ba\\u0064"}' }],
    ['pushcontent', { pushcontent: 'bad' }],
    ['payload', { payload: 'bad' }],
  ])(
    'of the link is caught by the word list for its %s, and reaches nobody; one of a signed call is not checked',
    async (_what, more) => {
      rig.words.add('bad')
      expect((await rig.sender.notify(outgoingNotification({ ...more, session: 's1' }))).antispam).toBe(true)
      expect(await missed('bob')).toEqual([])
      expect((await rig.sender.notify(outgoingNotification(more))).antispam).toBe(false)
      expect(await missed('bob')).toHaveLength(1)
    },
  )
  it('for those online only is not kept, and its copy says so', async () => {
    await rig.sender.notify(outgoingNotification({ stored: false, scene: 'team', to: '7' }))
    expect([(await missed('bob')).length, rig.delivered.length]).toEqual([0, 1])
    expect(rig.copies[0]).toMatchObject({
      convType: 'CUSTOM_TEAM',
      msgType: 'CUSTOM_TEAM_MSG',
      customSafeFlag: '0',
      tMembers: '[bob]',
    })
  })
  it('follows its options', async () => {
    await rig.sender.notify(outgoingNotification(option({ badge: false, needPushNick: true })))
    expect(rig.delivered[0]!.frame).toMatchObject({ badge: false, needPushNick: true })
    expect((await rig.stream.unread(1, 'bob')).total).toBe(0)
    await rig.sender.notify(outgoingNotification())
    expect((await rig.stream.unread(1, 'bob')).total).toBe(1)
    expect(await code(rig.sender.notify(outgoingNotification(option({ badge: 2 }))))).toBe(414)
  })
  it('of a sender on the blacklist reaches nobody', async () => {
    rig.blacklisted.add('bob ann')
    await rig.sender.notify(outgoingNotification())
    expect([await missed('bob'), await missed('ann')]).toEqual([[], []])
  })
  it('is refused as a message is', async () => {
    expect(await code(rig.sender.notify(outgoingNotification({ from: 'nobody' })))).toBe(414)
    expect(await code(rig.sender.notify(outgoingNotification({ to: 'nobody' })))).toBe(414)
    expect(await code(rig.sender.notify(outgoingNotification({ scene: 'team', to: '9' })))).toBe(414)
    expect(await code(rig.sender.notify(outgoingNotification({ scene: 'team', to: '7', from: 'eve' })))).toBe(403)
  })
})
