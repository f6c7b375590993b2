import { expect, it } from 'vitest'
import { createLinkClient, type LinkFaults } from './client.ts'
import { wrongAnswer } from './client-calls.ts'
import { linkFaults } from './faults.ts'
import type { LinkPush } from './frames.ts'

/** A link whose other end is played by a test, frame by frame. */
function played(faults?: LinkFaults) {
  const timers: { readonly ms: number; readonly call: () => void; isOff: boolean }[] = []
  const sent: { readonly id: number; readonly t: string; readonly after?: number }[] = []
  const pushed: LinkPush[] = []
  let opened = 0
  let closed = 0
  let events: { opened(): void; text(text: string): void; closed(code: number): void } | undefined
  const client = createLinkClient({
    url: 'ws://nowhere',
    credentials: () => ({
      appKey: 'key',
      accid: 'cem',
      token: 'token',
      device: 'device',
      clientType: 'WEB',
      sdkVersion: '1',
    }),
    open: (_url, heard) => {
      opened += 1
      events = heard
      return { send: (text) => void sent.push(JSON.parse(text) as (typeof sent)[number]), close: () => void closed++ }
    },
    later: (ms, call) => {
      const timer = { ms, call, isOff: false }
      timers.push(timer)
      return () => (timer.isOff = true)
    },
    random: () => 0.5,
    ...(faults && { faults }),
    onPush: (push) => pushed.push(push),
  })
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return {
    client,
    sent,
    pushed,
    seqs: () => pushed.map((push) => ('seq' in push ? push.seq : undefined)),
    open: () => events!.opened(),
    hears: (frame: object) => events!.text(JSON.stringify(frame)),
    hearsText: (text: string) => events!.text(text),
    settled,
    opened: () => opened,
    closed: () => closed,
    /** Runs what is due after so many ms. */
    due(ms: number): void {
      for (const timer of timers.splice(0))
        if (timer.ms !== ms) timers.push(timer)
        else if (!timer.isOff) timer.call()
    },
  }
}
const message = (seq: number) => ({ t: 'message', seq, from: 'ann', scene: 'p2p', to: 'cem', type: 0, body: '{}' })

it('hands on what it missed before what comes in the same piece as the answer', async () => {
  const { client, sent, seqs, open, hears, settled } = played()
  open()
  await settled()
  hears({ t: 'ok', id: sent[0]!.id, accid: 'cem', time: 0, seq: 4, unread: 0, donnop: false, others: [] })
  await settled()
  expect(sent[1]).toMatchObject({ t: 'sync', after: 4 })
  // A socket may deliver several frames in one turn, before continuations of the first run.
  hears({ t: 'ok', id: sent[1]!.id, events: [message(5), message(6)], seq: 6, more: false })
  hears(message(7))
  hears(message(8))
  await settled()
  expect(seqs()).toEqual([5, 6, 7, 8])
  hears(message(9))
  expect(seqs()).toEqual([5, 6, 7, 8, 9])
  expect(client.seq).toBe(9)
  client.close()
})

it('asks on from where it is when the service says that there is more, and keeps what comes meanwhile in order', async () => {
  const { client, sent, seqs, open, hears, settled } = played()
  open()
  await settled()
  hears({ t: 'ok', id: sent[0]!.id, accid: 'cem', time: 0, seq: 0, unread: 0, donnop: false, others: [] })
  await settled()
  hears({ t: 'ok', id: sent[1]!.id, events: [message(1)], seq: 1, more: true })
  await settled()
  expect(sent[2]).toMatchObject({ t: 'sync', after: 1 })
  hears({ t: 'ok', id: sent[2]!.id, events: [message(2)], seq: 3, more: false })
  hears(message(3))
  hears(message(4))
  await settled()
  expect(seqs()).toEqual([1, 2, 4])
  client.close()
})

it.each([
  [416, 'waiting'],
  [414, 'out'],
  [403, 'out'],
])('after a log-in that was answered %i it is %s: too many are tried again, wrong ones are not', async (code, at) => {
  const { client, sent, open, hears, settled } = played()
  open()
  await settled()
  hears({ t: 'error', id: sent[0]!.id, code, desc: 'no' })
  await settled()
  expect(client.state.at).toBe(at)
  client.close()
})

it('after a sleep asks for a sign of life, and without one connects again at once', async () => {
  const { client, sent, open, opened, hears, due, settled } = played()
  open()
  await settled()
  hears({ t: 'ok', id: sent[0]!.id, accid: 'cem', time: 0, seq: 0, unread: 0, donnop: false, others: [] })
  await settled()
  hears({ t: 'ok', id: sent[1]!.id, events: [], seq: 0, more: false })
  await settled()
  expect(client.state.at).toBe('online')
  client.awake()
  expect(sent[2]).toMatchObject({ t: 'ping' })
  hears({ t: 'ok', id: sent[2]!.id, time: 0 })
  due(3000)
  expect([client.state.at, opened()]).toEqual(['online', 1])
  client.awake()
  due(3000)
  expect(client.state.at).toBe('waiting')
  client.awake()
  expect([client.state.at, opened()]).toEqual(['connecting', 2])
  // That was put off is not tried twice.
  due(375)
  expect(opened()).toBe(2)
  // One that never opened.
  client.awake()
  due(3000)
  expect(client.state.at).toBe('waiting')
  client.close()
})

/** Logged in, and asked for what it missed after seq 0. */
async function syncing(faults?: LinkFaults) {
  const on = played(faults)
  on.open()
  await on.settled()
  on.hears({ t: 'ok', id: on.sent[0]!.id, accid: 'cem', time: 0, seq: 0, unread: 0, donnop: false, others: [] })
  await on.settled()
  return on
}
/** Online with nothing missed. */
async function online(faults?: LinkFaults) {
  const on = await syncing(faults)
  on.hears({ t: 'ok', id: on.sent[1]!.id, events: [], seq: 0, more: false })
  await on.settled()
  expect(on.client.state.at).toBe('online')
  return on
}

it.each(['not JSON', '', 'null', '5'])('connects again after a frame that is no object: %j', async (text) => {
  const { client, opened, closed, due, hearsText } = await online()
  hearsText(text)
  expect([client.state.at, closed()]).toEqual(['waiting', 1])
  due(375)
  expect([client.state.at, opened()]).toEqual(['connecting', 2])
  client.close()
})

it('holds a MiB of what comes while it reads, drops more, and reads that too', async () => {
  const { client, sent, seqs, hears, settled } = await syncing()
  const body = 'x'.repeat(300_000)
  for (const seq of [1, 2, 3, 4, 5]) hears({ ...message(seq), body })
  hears({ t: 'ok', id: sent[1]!.id, events: [], seq: 0, more: false })
  await settled()
  expect([seqs(), sent[2]]).toEqual([[], expect.objectContaining({ t: 'sync', after: 0 })])
  hears({ t: 'ok', id: sent[2]!.id, events: [1, 2, 3, 4].map((seq) => message(seq)), seq: 4, more: false })
  await settled()
  expect([seqs(), client.state.at, sent.length]).toEqual([[1, 2, 3, 4, 5], 'online', 3])
  client.close()
})

it('ends a sync whose parts lead nowhere, and takes some of them', async () => {
  const { client, sent, closed, hears, settled } = await syncing()
  for (let part = 1; part <= 20; part++) {
    expect([client.state.at, sent.length]).toEqual(['syncing', part + 1])
    hears({ t: 'ok', id: sent[part]!.id, events: [], seq: 0, more: true })
    await settled()
  }
  expect([client.state.at, closed(), sent.length]).toEqual(['waiting', 1, 21])
  client.close()
})

it('ends a sync of too many parts, and goes on from there with the next connection', async () => {
  const { client, sent, open, closed, due, hears, settled } = await syncing()
  for (let part = 1; client.state.at === 'syncing' && part <= 1_001; part++) {
    hears({ t: 'ok', id: sent[part]!.id, events: [], seq: part, more: true })
    await settled()
  }
  expect([client.state.at, closed(), client.seq]).toEqual(['waiting', 1, 1_000])
  due(375)
  open()
  await settled()
  expect(sent.at(-1)).toMatchObject({ t: 'login', after: 1_000 })
  client.close()
})

it('leaves out pushes of unknown kinds and with wrong members, also missed ones', async () => {
  const whole = (seq: number) => ({ ...message(seq), at: 1, fromClientType: 'WEB', push: true, badge: true })
  const { client, sent, pushed, hears, settled } = await syncing(linkFaults)
  const missed = [whole(1), { ...whole(2), at: 'yesterday' }, { t: 'typing', seq: 3 }, whole(4)]
  hears({ t: 'ok', id: sent[1]!.id, events: missed, seq: 4, more: false })
  await settled()
  const friend = { t: 'friend', type: 2, from: 'bob', to: 'cem', at: 1 }
  for (const frame of [
    { t: 'typing', from: 'a', scene: 'p2p' },
    { ...friend, at: 'yesterday' },
    { t: 'toString' },
    { t: 5 },
    {},
    [],
    { t: 'kicked', reason: {} },
    whole(5),
    friend,
  ])
    hears(frame)
  expect(pushed).toEqual([whole(1), whole(4), whole(5), friend])
  expect(client.state.at).toBe('online')
  client.close()
})

it('rejects a request whose answer has wrong members, and stays online', async () => {
  const { client, sent, hears } = await online(linkFaults)
  const asked = client.request('unread', {})
  hears({ t: 'ok', id: sent.at(-1)!.id, total: 'many', conversations: [] })
  await expect(asked).rejects.toMatchObject({ code: wrongAnswer, message: 'unread.total is not an integer' })
  const said = client.send({ scene: 'p2p', to: 'ann', type: 0, body: '{}' })
  hears({ t: 'ok', id: sent.at(-1)!.id, msgid: {} })
  await expect(said).rejects.toMatchObject({ code: wrongAnswer })
  const refused = client.request('unread', {})
  hears({ t: 'error', id: sent.at(-1)!.id, code: 'many', desc: {} })
  await expect(refused).rejects.toMatchObject({ code: 500, message: 'refused' })
  expect(client.state.at).toBe('online')
  client.close()
})

it('tries again later where the answer to the log-in or to a sync has wrong members', async () => {
  for (const answers of [
    [{ accid: 'cem', time: 0, seq: 'x', unread: 0, donnop: false, others: [] }],
    [
      { accid: 'cem', time: 0, seq: 0, unread: 0, donnop: false, others: [] },
      { events: 'none', seq: 0, more: false },
    ],
  ]) {
    const { client, sent, open, hears, settled } = played(linkFaults)
    open()
    await settled()
    for (const answer of answers) {
      expect(client.state.at).not.toBe('waiting')
      hears({ t: 'ok', id: sent.at(-1)!.id, ...answer })
      await settled()
    }
    expect(client.state.at).toBe('waiting')
    client.close()
  }
})
