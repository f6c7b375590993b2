import { expect, it } from 'vitest'
import { createAccountNames } from './account-names.ts'

it('accids come sorted after any name, whenever they were added', () => {
  const names = createAccountNames()
  names.load(['m', 'c', 'x'])
  for (const added of ['a', 'n', 'z', 'd']) names.add(added)
  expect([...names.after('')]).toEqual(['a', 'c', 'd', 'm', 'n', 'x', 'z'])
  expect([...names.after('d')]).toEqual(['m', 'n', 'x', 'z'])
  expect([...names.after('e')]).toEqual(['m', 'n', 'x', 'z'])
  expect([...names.after('z')]).toEqual([])
})
