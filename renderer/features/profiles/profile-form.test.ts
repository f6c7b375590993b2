import { expect, it } from 'vitest'
import type { Profile } from '../../../contract/rpc/state.ts'
import { maxChannelName } from '../../../contract/operations/limits.ts'
import { nameFault, nameLength } from '../channels/channel-name.ts'
import { fieldsOf, isExposed, profileFaults } from './profile-form.ts'

const profile: Profile = {
  id: 'p',
  kind: 'hosted',
  extended: false,
  media: null,
  name: 'Twin',
  liveUrl: 'https://a.example',
  messagingUrl: 'https://b.example',
  appKey: 'k',
  secret: 'keychain',
}

it('never fills the secret', () => {
  expect(fieldsOf(profile).appSecret).toBe('')
})

it('keeps the secret while nothing that it belongs to changes, and asks anew for each that does', () => {
  expect(profileFaults(fieldsOf(profile), profile)).toEqual({})
  expect(profileFaults({ ...fieldsOf(profile), name: 'Other' }, profile)).toEqual({})
  for (const field of ['liveUrl', 'messagingUrl', 'appKey'] as const)
    expect(profileFaults({ ...fieldsOf(profile), [field]: 'https://evil.example' }, profile)).toEqual({
      appSecret: 'secretAgain',
    })
  expect(profileFaults(fieldsOf(profile), { ...profile, secret: 'missing' })).toEqual({ appSecret: 'needed' })
})

it('takes only http and https addresses', () => {
  for (const liveUrl of ['ftp://a.example', 'javascript:alert(1)', 'a.example'])
    expect(profileFaults({ ...fieldsOf(profile), liveUrl, appSecret: 's' }, profile)).toEqual({ liveUrl: 'urlBad' })
})

it('warns of signed calls in clear to another machine only', () => {
  expect(isExposed('http://live.example')).toBe(true)
  expect(isExposed('http://127.0.0.1.evil.example')).toBe(true)
  for (const safe of ['https://live.example', 'http://127.0.0.1:8710', 'http://localhost:1', 'not an address'])
    expect(isExposed(safe)).toBe(false)
})

it('checks a channel name as the contract does, counting code points', () => {
  expect(nameFault('')).toBe('empty')
  expect(nameFault('深夜_Radio1')).toBeNull()
  for (const bad of ['two words', 'dash-ed', '<img>', '😀']) expect(nameFault(bad)).toBe('characters')
  expect(nameFault('a'.repeat(maxChannelName))).toBeNull()
  expect(nameFault('a'.repeat(maxChannelName + 1))).toBe('long')
  expect(nameLength('𠮷野')).toBe(2)
})
