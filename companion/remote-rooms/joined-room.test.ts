import { expect, it } from 'vitest'
import type { Line } from '../lines/connection.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Host } from './host.ts'
import type { KeptJoined } from './joined-document.ts'
import { createJoinedRoom } from './joined-room.ts'

/** Lines of pages to a host that never answers. */
function stage() {
  const room = createJoinedRoom({
    seat: { id: 'one', host: 'host.example:4443', secured: true, accid: 'mei' } as KeptJoined,
    host: { line: () => new Promise(() => undefined) } as unknown as Host,
    clock: manualClock(),
    token: () => Promise.resolve(undefined),
    keep: () => Promise.resolve(),
    shown: () => undefined,
    log: () => undefined,
  })
  const open = () => {
    const closed: (() => void)[] = []
    let isOpen = true
    const line: Line = {
      send: () => undefined,
      onMessage: () => undefined,
      onClose: (listener) => closed.push(listener),
      backlog: () => 0,
      close: () => {
        if (!isOpen) return
        isOpen = false
        for (const listener of closed) listener()
      },
    }
    room.attach(line)
    return { isOpen: () => isOpen, close: () => line.close() }
  }
  return { room, open }
}

it('a joined room takes eight pages at once, and one that closed gives its place to the next, however often', () => {
  const { room, open } = stage()
  room.enteredWith('session=1')
  const pages = Array.from({ length: 8 }, open)
  expect(pages.every((page) => page.isOpen())).toBe(true)
  expect(open().isOpen()).toBe(false)
  for (let again = 0; again < 20; again++) {
    pages.shift()!.close()
    pages.push(open())
    expect(pages.at(-1)!.isOpen()).toBe(true)
  }
})

it('a joined room takes no page before it is signed in, and closes its pages when it is left', () => {
  const { room, open } = stage()
  expect(open().isOpen()).toBe(false)
  room.enteredWith('session=1')
  const page = open()
  room.close()
  expect(page.isOpen()).toBe(false)
})
