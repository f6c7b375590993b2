import { expect, it } from 'vitest'
import { LinkFailure } from '../../contract/link/client-calls.ts'
import { refusedByLink } from './link-failure.ts'

it('is why the disk took nothing by the reason that the service names, and by no words', () => {
  const kindOf = (...of: ConstructorParameters<typeof LinkFailure>) => refusedByLink(new LinkFailure(...of)).data.kind
  for (const reason of ['full', 'readOnly', 'broken'] as const)
    expect(kindOf(500, 'words of tomorrow', reason)).toBe(reason)
  const words = 'the disk of the service is full; nothing was changed: make room, then call again'
  expect([kindOf(500, words), kindOf(414, words, 'missing')]).toEqual(['code', 'code'])
})
