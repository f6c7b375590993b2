import { expect, it } from 'vitest'
import { createLinkClient } from './client.ts'
import type { LinkPush } from './frames.ts'

/** A link whose other end is played by a test, frame by frame. */
function played() {
  const timers: { readonly ms: number; readonly call: () => void; isOff: boolean }[] = []
  const sent: { readonly id: number; readonly t: string; readonly after?: number }[] = []
  const pushed: LinkPush[] = []
  let opened = 0
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
      return { send: (text) => void sent.push(JSON.parse(text) as (typeof sent)[number]), close: () => undefined }
    },
    later: (ms, call) => {
      const timer = { ms, call, isOff: false }
      timers.push(timer)
      return () => (timer.isOff = true)
    },
    random: () => 0.5,
    onPush: (push) => pushed.push(push),
  })
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return {
    client,
    sent,
    seqs: () => pushed.map((push) => ('seq' in push ? push.seq : undefined)),
    open: () => events!.opened(),
    hears: (frame: object) => events!.text(JSON.stringify(frame)),
    settled,
    opened: () => opened,
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
