import { expect, it } from 'vitest'
import { UsageError } from './command-line.ts'
import { objectPlace } from './object-place.ts'

const given = {
  SIDESTAGE_S3_ENDPOINT: 'https://s3.example.com',
  SIDESTAGE_S3_BUCKET: 'live',
  SIDESTAGE_S3_REGION: 'eu-west-1',
  SIDESTAGE_S3_ACCESS_KEY: 'AKIA1',
  SIDESTAGE_S3_SECRET_KEY: 'hidden/+=',
}
const place = {
  endpoint: 'https://s3.example.com',
  bucket: 'live',
  region: 'eu-west-1',
  accessKey: 'AKIA1',
  secretKey: 'hidden/+=',
  prefix: 'sidestage',
  isPathStyle: true,
}

it('reads an object store from the environment and leaves nothing of it there', () => {
  const environment: NodeJS.ProcessEnv = { ...given, OTHER: '1' }
  expect(objectPlace(environment, 'sidestage')).toEqual(place)
  expect(environment).toEqual({ OTHER: '1' })
  expect(objectPlace({ ...given, SIDESTAGE_S3_ADDRESSING: 'host' }, 'sidestage')).toEqual({
    ...place,
    isPathStyle: false,
  })
  expect(objectPlace({}, undefined)).toBeUndefined()
})

it('refuses a place that is incomplete, in no shape or without a database, and never says what was given', () => {
  const refused: readonly (readonly [NodeJS.ProcessEnv, RegExp])[] = [
    ...Object.keys(given).map((name) => [{ ...given, [name]: '' }, new RegExp(`^${name} is missing`)] as const),
    [{ SIDESTAGE_S3_ADDRESSING: 'path' }, /^SIDESTAGE_S3_ENDPOINT is missing/],
    [{ ...given, SIDESTAGE_S3_ENDPOINT: 's3.example.com/hidden' }, /^SIDESTAGE_S3_ENDPOINT must/],
    [{ ...given, SIDESTAGE_S3_ENDPOINT: 'https://me:hidden@s3.example.com' }, /^SIDESTAGE_S3_ENDPOINT must/],
    [{ ...given, SIDESTAGE_S3_BUCKET: 'Hidden' }, /^SIDESTAGE_S3_BUCKET must/],
    [{ ...given, SIDESTAGE_S3_REGION: 'hidden place' }, /^SIDESTAGE_S3_REGION must/],
    [{ ...given, SIDESTAGE_S3_ACCESS_KEY: 'hidden key' }, /^SIDESTAGE_S3_ACCESS_KEY must/],
    [{ ...given, SIDESTAGE_S3_SECRET_KEY: 'hidden key' }, /^SIDESTAGE_S3_SECRET_KEY must/],
    [{ ...given, SIDESTAGE_S3_ADDRESSING: 'hidden' }, /^SIDESTAGE_S3_ADDRESSING must/],
  ]
  for (const [environment, message] of refused) {
    const refusing = (): unknown => objectPlace({ ...environment }, 'sidestage')
    expect(refusing).toThrow(UsageError)
    expect(refusing).toThrow(message)
    expect(refusing).not.toThrow(/hidden/i)
  }
  const environment = { ...given }
  expect(() => objectPlace(environment, undefined)).toThrow('SIDESTAGE_S3_ENDPOINT needs SIDESTAGE_DATABASE_URL.')
  expect(environment).toEqual({})
})
