import { expect, it } from 'vitest'
import { LinkFailure } from '../../contract/link/client-calls.ts'
import { linkReason, refusedByLink } from './link-failure.ts'

it('is why the disk took nothing by the reason that the service names, and by no words', () => {
  const kindOf = (...of: ConstructorParameters<typeof LinkFailure>) => refusedByLink(new LinkFailure(...of)).data.kind
  for (const reason of ['full', 'readOnly', 'broken'] as const)
    expect(kindOf(500, 'words of tomorrow', reason)).toBe(reason)
  const words = 'the disk of the service is full; nothing was changed: make room, then call again'
  expect([kindOf(500, words), kindOf(414, words, 'missing')]).toEqual(['code', 'code'])
})

it('says credentials, what the service answered or as it was said, by why the link does not open again', () => {
  const out = { at: 'out', code: 4401, reason: 'no' } as const
  expect(linkReason({ ...out, refusal: 414 })).toEqual({ code: 'credentials', params: {} })
  expect(linkReason({ ...out, refusal: 403 })).toEqual({ code: 'answered', params: { code: '403', answer: 'no' } })
  expect(linkReason({ ...out, reason: 'blocked' })).toEqual({ code: 'blocked', params: {} })
})

it('tells the code and the words of a refusal', () => {
  expect(refusedByLink(new LinkFailure(403, 'not yours')).data).toMatchObject({
    kind: 'code',
    code: 403,
    detail: 'link: 403 not yours',
  })
})
