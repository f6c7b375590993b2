import type { Target } from '../../../contract/rpc/targets.ts'

type Preset = Target['preset']

/** In the order of the form. */
export const presets = ['twitch', 'youtube', 'kick', 'facebook', 'custom'] as const satisfies readonly Preset[]

/** The usual server of each; those that show their own address beside the key may name another. */
export const usualAddress: Readonly<Record<Preset, string>> = {
  twitch: 'rtmps://ingest.global-contribute.live-video.net/app',
  youtube: 'rtmps://a.rtmps.youtube.com/live2',
  kick: 'rtmps://fa723fc1b171.global-contribute.live-video.net/app',
  facebook: 'rtmps://live-api-s.facebook.com:443/rtmp',
  custom: '',
}

/** Names of services are the same in every language. */
export const presetName: Readonly<Record<Preset, string>> = {
  twitch: 'Twitch',
  youtube: 'YouTube',
  kick: 'Kick',
  facebook: 'Facebook',
  custom: '',
}

/** A general picture of each, as marks of services belong to them. */
export const presetIcon: Readonly<Record<Preset, string>> = {
  twitch: 'i-lucide-tv',
  youtube: 'i-lucide-square-play',
  kick: 'i-lucide-gamepad-2',
  facebook: 'i-lucide-users',
  custom: 'i-lucide-radio-tower',
}

/** Whether an address can be sent to: a scheme, a host and an application, and no user or white space. */
export function isAddress(address: string): boolean {
  if (!/^rtmps?:\/\/\S+$/i.test(address) || address.length > 1024 || !URL.canParse(address)) return false
  // Browsers know no host in an address of a scheme that is not theirs.
  const { hostname, pathname, username, password, hash } = new URL(address.replace(/^rtmp/i, 'http'))
  return hostname !== '' && pathname.length > 1 && username === '' && password === '' && hash === ''
}

/** Whether the key crosses the network readably; on this computer nobody is on the way. */
export const isOpenWay = (address: string): boolean =>
  /^rtmp:/i.test(address) && !/^rtmp:\/\/(?:localhost|127\.|\[::1\])/i.test(address)

/** What was entered of a target; without a key none was, or the present one stays. */
export type TargetChange = Pick<Target, 'name' | 'preset' | 'url' | 'start'> & { readonly key?: string }
