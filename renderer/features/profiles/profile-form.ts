import type { Profile } from '../../../contract/rpc/state.ts'

/** Input for a hosted profile. */
export interface ProfileFields {
  name: string
  liveUrl: string
  messagingUrl: string
  appKey: string
  appSecret: string
}

/** Initial input; the secret is always empty. */
export const fieldsOf = (profile: Profile | null): ProfileFields => ({
  name: profile?.name ?? '',
  liveUrl: profile?.liveUrl ?? '',
  messagingUrl: profile?.messagingUrl ?? '',
  appKey: profile?.appKey ?? '',
  appSecret: '',
})

const isUrl = (text: string): boolean => {
  try {
    return /^https?:$/.test(new URL(text.trim()).protocol)
  } catch {
    return false
  }
}

/** It belongs to other addresses or another key. */
export const secretIsVoid = (fields: ProfileFields, profile: Profile | null): boolean =>
  profile === null ||
  profile.secret === 'missing' ||
  fields.liveUrl.trim() !== profile.liveUrl ||
  fields.messagingUrl.trim() !== profile.messagingUrl ||
  fields.appKey.trim() !== profile.appKey

/** Faults by field. */
export function profileFaults(
  fields: ProfileFields,
  profile: Profile | null,
): Partial<Record<keyof ProfileFields, 'needed' | 'urlBad' | 'secretAgain'>> {
  const faults: Partial<Record<keyof ProfileFields, 'needed' | 'urlBad' | 'secretAgain'>> = {}
  if (fields.name.trim() === '') faults.name = 'needed'
  for (const field of ['liveUrl', 'messagingUrl'] as const)
    if (!isUrl(fields[field])) faults[field] = fields[field].trim() === '' ? 'needed' : 'urlBad'
  if (fields.appKey.trim() === '') faults.appKey = 'needed'
  if (fields.appSecret === '' && secretIsVoid(fields, profile))
    faults.appSecret = profile === null || profile.secret === 'missing' ? 'needed' : 'secretAgain'
  return faults
}

/** Plain http to another machine: signed calls are readable on the network. */
export function isExposed(address: string): boolean {
  if (!isUrl(address)) return false
  const { protocol, hostname } = new URL(address.trim())
  return protocol === 'http:' && !['localhost', '[::1]'].includes(hostname) && !/^127\.\d+\.\d+\.\d+$/.test(hostname)
}
