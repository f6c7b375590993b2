import { expect, it } from 'vitest'
import { sharedPlaces } from './cluster-place.ts'

const environment = () => ({
  SIDESTAGE_DATABASE_URL: 'postgres://a@127.0.0.1/x',
  SIDESTAGE_REDIS_URL: 'redis://127.0.0.1',
})

it('the address of a node is of the node, and needs one', () => {
  expect(sharedPlaces(environment(), { node: 'a', nodeMedia: 'https://a.example' }).cluster).toMatchObject({
    node: 'a',
    media: 'https://a.example',
  })
  expect(sharedPlaces(environment(), { node: 'a' }).cluster).not.toHaveProperty('media')
  expect(() => sharedPlaces({}, { nodeMedia: 'https://a.example' })).toThrow('--node-media needs --node.')
})

it('says what to do with a password that has characters of an address, and never what it is', () => {
  const place = (name: string, url: string): unknown => sharedPlaces({ ...environment(), [name]: url }, { node: 'a' })
  const begins = { SIDESTAGE_DATABASE_URL: 'postgres://me:', SIDESTAGE_REDIS_URL: 'redis://:' }
  for (const [name, begin] of Object.entries(begins)) {
    for (const secret of ['hid/den', 'hid#den', '12/hidden', '12?hidden', 'hidden%', 'hid%zzden'])
      expect(() => place(name, `${begin}${secret}@10.0.0.20/x`), secret).toThrow(
        new RegExp(`^(?!.*hid)${name} cannot be read: .*percent-encoded`),
      )
    expect(place(name, `${begin}hid%2Fden%23@10.0.0.20/x`)).toBeDefined()
  }
  expect(() => place('SIDESTAGE_DATABASE_URL', 'mysql://me:hidden@a/b')).toThrow(/must be an address that begins with/)
})
