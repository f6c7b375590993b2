import { expect, it } from 'vitest'
import { createRoomRoles } from './room-roles.ts'

/** Roles that are asked for by hand. */
function made() {
  const asked: string[][] = []
  const waits: number[] = []
  let due: (() => void) | undefined
  const settle: { done: (types: Readonly<Record<string, number>>) => void; fail: () => void }[] = []
  const roles = createRoomRoles({
    later: (ms, call) => {
      waits.push(ms)
      due = call
      return () => (due = undefined)
    },
    ask: (accids) => {
      asked.push([...accids])
      return new Promise((resolve, reject) =>
        settle.push({
          done: (types) => resolve(Object.entries(types).map(([accid, type]) => ({ accid, type }))),
          fail: () => reject(new Error('no answer')),
        }),
      )
    },
  })
  return {
    roles,
    asked,
    waits,
    isDue: () => due !== undefined,
    pass: () => {
      const call = due
      due = undefined
      call?.()
    },
    last: () => settle.at(-1)!,
  }
}
const after = () => new Promise((resolve) => setTimeout(resolve))

it('asks about many together, each once, at most 200 at a time', async () => {
  const { roles, asked, pass, last, isDue } = made()
  roles.wonder(Array.from({ length: 201 }, (_, index) => `u${index}`))
  roles.wonder(['u1', 'u2'])
  pass()
  expect(asked[0]).toHaveLength(200)
  last().done({ u1: 2 })
  await after()
  expect([...roles.known.value]).toEqual([['u1', 2]])
  pass()
  expect(asked[1]).toEqual(['u200'])
  last().done({})
  await after()
  roles.wonder(['u1', 'u200'])
  expect(isDue()).toBe(false)
})

it('asks again after a failure, and about those whose role may have changed', async () => {
  const { roles, asked, pass, last, isDue } = made()
  roles.wonder(['ana'])
  pass()
  last().fail()
  await after()
  pass()
  last().done({ ana: 2 })
  await after()
  roles.changed(['somebody'])
  expect(isDue()).toBe(false)
  roles.changed(['ana'])
  pass()
  last().done({ ana: 3 })
  await after()
  expect(roles.known.value.get('ana')).toBe(3)
  expect(asked).toEqual([['ana'], ['ana'], ['ana']])
})

it('takes no answer about a room that is shown no more', async () => {
  const { roles, pass, last, isDue } = made()
  roles.wonder(['ana'])
  pass()
  roles.clear()
  last().done({ ana: 2 })
  await after()
  expect(roles.known.value.size).toBe(0)
  expect(isDue()).toBe(false)
})

it('asks 300 ms after the first wish, and 5 s after a failure', async () => {
  const { roles, waits, pass, last } = made()
  roles.wonder(['ana'])
  roles.wonder(['lee'])
  expect(waits).toEqual([300])
  pass()
  last().fail()
  await after()
  expect(waits).toEqual([300, 5_000])
  pass()
  roles.wonder(['mei'])
  last().done({ ana: 2 })
  await after()
  expect(waits).toEqual([300, 5_000, 300])
})

it('keeps 10,000 roles, those that were told last, and asks for others again', async () => {
  const { roles, asked, pass, last, isDue } = made()
  const all = Array.from({ length: 10_200 }, (_, index) => `u${index}`)
  roles.wonder(all)
  while (isDue()) {
    pass()
    last().done(Object.fromEntries(asked.at(-1)!.map((accid) => [accid, 0])))
    await after()
  }
  expect(asked).toHaveLength(51)
  expect([roles.known.value.size, roles.known.value.has('u199'), roles.known.value.has('u200')]).toEqual([
    10_000,
    false,
    true,
  ])
  roles.wonder(['u199', 'u200'])
  pass()
  expect(asked.at(-1)).toEqual(['u199'])
})

it('knows nobody of a room that was left, and asks for them in the next one', async () => {
  const { roles, asked, pass, last, isDue } = made()
  roles.wonder(['ana'])
  pass()
  last().done({ ana: 2 })
  await after()
  roles.wonder(['lee'])
  roles.clear()
  expect([roles.known.value.size, isDue()]).toEqual([0, false])
  roles.wonder(['ana'])
  pass()
  expect(asked.at(-1)).toEqual(['ana'])
})
