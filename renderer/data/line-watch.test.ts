import { expect, it } from 'vitest'
import { watchLine } from './line-watch.ts'

/** A line whose timers the test fires. */
function stage() {
  const timers = new Map<() => void, number>()
  const gone = new AbortController()
  let asked = 0
  let answer: (() => void) | undefined
  let refuse: ((error: Error) => void) | undefined
  let deaths = 0
  watchLine(
    () => {
      asked += 1
      return new Promise<void>((resolve, reject) => {
        answer = resolve
        refuse = reject
      })
    },
    gone.signal,
    {
      after: (milliseconds, action) => {
        timers.set(action, milliseconds)
        return () => timers.delete(action)
      },
    },
    () => {
      deaths += 1
    },
  )
  return {
    gone,
    waits: () => [...timers.values()],
    fire: () => {
      const [[action]] = [...timers] as [[() => void, number]]
      timers.delete(action)
      action()
    },
    answer: async (how: 'answer' | 'refusal') => {
      if (how === 'answer') answer?.()
      else refuse?.(new Error('refused'))
      await Promise.resolve()
      await Promise.resolve()
    },
    asked: () => asked,
    deaths: () => deaths,
  }
}

it.each(['answer', 'refusal'] as const)('asks again 5 s after each %s', async (how) => {
  const on = stage()
  for (let turn = 1; turn <= 3; turn++) {
    expect(on.waits()).toEqual([5_000])
    on.fire()
    expect(on.asked()).toBe(turn)
    expect(on.waits()).toEqual([8_000])
    await on.answer(how)
  }
  expect(on.deaths()).toBe(0)
})

it('says once that a line is dead that does not answer, whatever comes later', async () => {
  const on = stage()
  on.fire()
  on.fire()
  expect(on.deaths()).toBe(1)
  await on.answer('answer')
  expect(on.waits()).toEqual([])
  expect(on.deaths()).toBe(1)
})

it.each(['before a question', 'while it waits for an answer'])(
  'leaves nothing running when the line ends %s',
  async (when) => {
    const on = stage()
    if (when !== 'before a question') on.fire()
    on.gone.abort()
    expect(on.waits()).toEqual([])
    await on.answer('answer')
    expect(on.waits()).toEqual([])
    expect(on.deaths()).toBe(0)
  },
)
