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

it('tries at once when it is told to, in place of the attempt that it waits for', async () => {
  const on = stage()
  on.connection.start()
  await settle()
  expect([on.opens, on.waits]).toEqual([1, [250]])
  on.accept()
  on.connection.retry()
  await settle()
  expect([on.opens, on.states.at(-1)]).toEqual([2, 'open'])
  expect(on.waits).toEqual([250, 5_000])
  // A line that is open is not opened again.
  on.connection.retry()
  await settle()
  expect(on.opens).toBe(2)
})

it('tries again when it is told to after it was not signed in', async () => {
  const on = stage()
  on.refuse(new Unauthorized('no session', 'link'))
  on.connection.start()
  await settle()
  on.accept()
  on.connection.retry()
  await settle()
  expect(on.states).toEqual(['connecting', 'unauthorized', 'open'])
})

it('takes a line that is lost while it opens for none, and opens another', async () => {
  const on = stage()
  on.accept()
  on.connection.start()
  on.lose()
  await settle()
  expect(on.states).toEqual(['connecting', 'lost'])
  expect([on.signals, on.waits, on.connection.client]).toEqual([[], [250], undefined])
  await on.next()
  expect(on.states.at(-1)).toBe('open')
})

it('closes a line that opens after the connection was closed, and says nothing of it', async () => {
  const on = stage()
  on.accept()
  on.connection.start()
  on.connection.close()
  await settle()
  expect([on.closed, on.states, on.signals]).toEqual([1, ['connecting'], []])
  on.connection.retry()
  await settle()
  expect(on.opens).toBe(1)
})

it('says nothing of an attempt that fails after the connection was closed', async () => {
  const on = stage()
  on.connection.start()
  on.connection.close()
  await settle()
  expect([on.states, on.waits]).toEqual([['connecting'], []])
})

it('closes its line and aborts what runs on it when it is closed', async () => {
  const on = stage()
  on.accept()
  on.connection.start()
  await settle()
  expect(on.connection.client).toBeDefined()
  on.connection.close()
  expect([on.closed, on.signals[0]?.aborted, on.connection.client]).toEqual([1, true, undefined])
})

it('says that a line is lost which it replaces, and replaces none where there is none', async () => {
  const on = stage()
  on.connection.restart()
  expect([on.closed, on.states]).toEqual([0, []])
  on.accept()
  on.connection.start()
  await settle()
  on.connection.restart()
  expect([on.states.at(-1), on.signals[0]?.aborted, on.waits.at(-1)]).toEqual(['lost', true, 250])
})
