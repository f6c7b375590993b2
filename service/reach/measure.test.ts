import { expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import type { MappingState } from './port-mapping.ts'
import { measure, type Present } from './measure.ts'
import { firstReach } from './reach-settings.ts'

const open: MappingState = { state: 'open', protocol: 'upnp', address: '203.0.113.7', port: 8443 }
/** The port that was chosen, where every address leads to this service. */
const measured = async (change: Partial<Present>) => {
  const present: Present = {
    settings: { ...firstReach, reach: 'port' },
    faults: [],
    ownPorts: [],
    own: 'http://127.0.0.1:8711',
    home: undefined,
    door: 'https://127.0.0.1:8443',
    unusable: undefined,
    told: 'https://203.0.113.7:8443',
    mapping: undefined,
    visited: undefined,
    untrusted: undefined,
    ...change,
  }
  const send = () => Promise.resolve({ kind: 'arrived' } as const)
  const { result } = await measure('port', present, { clock: systemClock, probes: { send } })
  return result.reason ?? result.state
}

it.each<[string, Partial<Present>, string]>([
  ['a name that leads here', { told: 'https://live.example.com:8443', mapping: open }, 'unchecked'],
  ['a public address without a forwarded port', {}, 'unchecked'],
  ['an address that another device names', { mapping: { ...open, otherDevice: '192.168.1.77' } }, 'unchecked'],
  ['the public address of a router that forwards', { mapping: open }, 'works'],
  ['a name by which a visit came', { told: 'https://live.example.com:8443', visited: 5 }, 'works'],
])('the internet works by %s only where that was measured', async (_what, change, state) => {
  expect(await measured(change)).toBe(state)
})

it.each<[string, Partial<Present>, string]>([
  ['an address of the home network', { told: 'https://192.168.1.5:8443' }, 'noPublicUrl'],
  ['a unique local address', { told: 'https://[fd00::2]:8443' }, 'noPublicUrl'],
  ['a loopback address', { told: 'https://127.0.0.1:8443' }, 'noPublicUrl'],
  ['a private address by which somebody came', { told: 'https://192.168.1.5:8443', visited: 5 }, 'noPublicUrl'],
  [
    'a private address where another device than the router forwards',
    { told: 'https://192.168.1.5:8443', mapping: { ...open, otherDevice: '192.168.1.77' } },
    'noPublicUrl',
  ],
  ['none while the router is asked', { told: 'https://192.168.1.5:8443', mapping: { state: 'asking' } }, 'unchecked'],
  [
    'none where the router refused',
    { told: 'https://192.168.1.5:8443', mapping: { state: 'failed', reason: 'noMapping' } },
    'noMapping',
  ],
])('the internet has no address with %s', async (_what, change, said) => {
  expect(await measured(change)).toBe(said)
})
