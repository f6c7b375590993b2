import { expect, it } from 'vitest'
import { Unauthorized, type Line, type RpcClient } from './client.ts'
import { createConnection, type LineState } from './connection.ts'

const settle = async (): Promise<void> => {
  for (let n = 0; n < 10; n++) await Promise.resolve()
}

function stage() {
  const states: LineState[] = []
  const waits: number[] = []
  const signals: AbortSignal[] = []
  let pending: (() => void) | undefined
  let answer: () => Promise<Line> = () => Promise.reject(new Error('refused'))
  let lost: (() => void) | undefined
  let closed = 0
  let opens = 0
  const line: Line = {
    client: {} as RpcClient,
    close: () => {
      closed += 1
    },
  }
  const connection = createConnection(
    {
      open: (onLost) => {
        opens += 1
        lost = onLost
        return answer()
      },
    },
    {
      after: (milliseconds, action) => {
        waits.push(milliseconds)
        pending = action
        return () => {
          pending = undefined
        }
      },
    },
    {
      state: (state) => {
        states.push(state)
      },
      opened: (_client, signal) => {
        signals.push(signal)
      },
    },
  )
  return {
    connection,
    states,
    waits,
    signals,
    accept: () => {
      answer = () => Promise.resolve({ ...line })
    },
    refuse: (error: Error) => {
      answer = () => Promise.reject(error)
    },
    lose: () => lost?.(),
    next: async () => {
      const action = pending
      pending = undefined
      action?.()
      await settle()
    },
    get closed() {
      return closed
    },
    get opens() {
      return opens
    },
  }
}

it('opens a new line after a loss, aborts what ran on the old one and subscribes again', async () => {
  const on = stage()
  on.accept()
  on.connection.start()
  await settle()
  expect(on.states).toEqual(['connecting', 'open'])
  on.lose()
  expect(on.signals[0]?.aborted).toBe(true)
  expect(on.connection.client).toBeUndefined()
  expect(on.states.at(-1)).toBe('lost')
  await on.next()
  expect(on.states.at(-1)).toBe('open')
  expect(on.signals).toHaveLength(2)
  expect(on.signals[1]?.aborted).toBe(false)
})

it('waits longer after each failure, up to 4 s, and starts over after a line that was open', async () => {
  const on = stage()
  on.connection.start()
  await settle()
  for (let n = 0; n < 6; n++) await on.next()
  expect(on.waits).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000, 4_000])
  on.accept()
  await on.next()
  on.lose()
  expect(on.waits.slice(-2)).toEqual([5_000, 250])
})

it('waits longer and longer for lines that are lost as soon as they are open, and starts over after one that stood for 5 s', async () => {
  const on = stage()
  on.accept()
  on.connection.start()
  await settle()
  const steady = 5_000
  const waits: number[] = []
  for (let n = 0; n < 8; n++) {
    on.lose()
    waits.push(on.waits.at(-1)!)
    await on.next()
  }
  expect(waits).toEqual([250, 250, 250, 500, 1_000, 2_000, 4_000, 4_000])
  expect(on.waits.at(-1)).toBe(steady)
  await on.next()
  on.lose()
  expect(on.waits.at(-1)).toBe(250)
})

it('stops trying when the page is not signed in', async () => {
  const on = stage()
  on.refuse(new Unauthorized('no session', 'link'))
  on.connection.start()
  await settle()
  expect(on.states).toEqual(['connecting', 'unauthorized'])
  expect(on.waits).toEqual([])
})

it('does not open two lines at once', async () => {
  const on = stage()
  on.accept()
  on.connection.start()
  on.connection.retry()
  on.connection.retry()
  await settle()
  expect(on.opens).toBe(1)
})

it('replaces a line whose events ended, and says nothing more once closed', async () => {
  const on = stage()
  on.accept()
  on.connection.start()
  await settle()
  on.connection.restart()
  expect(on.closed).toBe(1)
  await on.next()
  expect(on.opens).toBe(2)
  on.connection.close()
  const before = on.states.length
  on.lose()
  expect(on.states).toHaveLength(before)
})
