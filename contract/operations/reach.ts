import { flag, integer, list, object, text } from '../field.ts'
import { extension, general } from './extension.ts'
import { heldAnswer } from './live.ts'

/** How far a service can be reached (behaviour.md#reach). */
export const reaches = ['computer', 'home', 'port', 'proxy'] as const
/** Proxies that a snippet is made for. */
export const proxyServers = ['nginx', 'caddy'] as const
/** What a visit from outside reports, in its order. */
export const visitSteps = ['address', 'page', 'chat', 'hls', 'flv'] as const

const result = object({
  reach: text({ summary: `${reaches.join(', ')}.` }),
  state: text({ summary: 'works, closed, unchecked, or fault.' }),
  reason: text({
    summary:
      'portClosed, noMapping, taken, ownPort (another listener of this service has it), denied, noCertificate, ' +
      'certificate, certificateName (it is for another name), certificateAuthority (no known one vouches for it), ' +
      'noAddress, noRouter, noPublicAddress, noPublicUrl, name or proxyAbsent. Where it works: proxyUntrusted (the ' +
      'proxy that answers is not in `proxies`: all viewers have its address; `detail` has it), or proxyAnybody (a ' +
      'range of `proxies` has addresses of anybody; `detail` has it).',
    optional: true,
  }),
  detail: text({ summary: 'Message of the system or the router, or what a reason names.', optional: true }),
  at: integer({ summary: 'When it was measured, in ms.', optional: true }),
  url: text({ summary: 'Root of the media side as it is reached this way.', optional: true }),
})

/** State of how far the service is reached, as answers and events have it; no secret. */
export const reachFacts = {
  reach: text({ summary: `${reaches.join(', ')}.` }),
  rtmp: flag({ summary: 'Encoders in the home network may push.' }),
  url: text({ summary: 'Root of the media side for viewers.' }),
  publicUrl: text({ summary: 'The public address that is set for this reach.', optional: true }),
  freeHere: flag({
    summary: 'Players on this computer are let in whatever is set, and not counted: no address is for others.',
  }),
  results: list(result, { summary: 'What was measured of each reach.' }),
  measuring: flag({ summary: 'They are being measured; their end is told by an event.', optional: true }),
  doors: list(
    object({
      name: text({ summary: 'media or rtmp.' }),
      host: text(),
      port: integer(),
      tls: flag(),
    }),
    { summary: 'Listeners to others that are open now.' },
  ),
  encryption: text({
    summary:
      'vouched: browsers show no warning; unvouched: they warn; none: plain; unknown: a proxy that was not seen.',
  }),
  certificate: object(
    {
      names: list(text()),
      issuer: text(),
      expires: integer({ summary: 'In ms.' }),
      vouched: flag({ summary: 'An authority that browsers know vouches for it.' }),
    },
    { summary: 'The one in use.', optional: true },
  ),
  certificateFault: object(
    {
      reason: text({ summary: 'absent, denied, unreadable, unreadableKey (the key, alone), otherKey or expired.' }),
      file: text(),
    },
    { summary: 'Why the files cannot be used; the certificate in use, if any, is an earlier one.', optional: true },
  ),
  mapping: object(
    {
      state: text({ summary: 'open, asking, or failed.' }),
      protocol: text({ summary: 'upnp or natpmp.', optional: true }),
      address: text({ summary: 'Public address of the router.', optional: true }),
      port: integer({ summary: 'Port of that address, which the router chooses.', optional: true }),
      otherDevice: text({
        summary:
          'Address of the device that forwards when it is not the default router; links do not use what it says.',
        optional: true,
      }),
      detail: text({ optional: true }),
    },
    { summary: 'Port forwarded by the router.', optional: true },
  ),
  localName: text({
    summary: 'Name in the home network, such as sidestage.local, while it is announced.',
    optional: true,
  }),
  proxies: list(text(), { summary: 'Trusted proxies.' }),
  fixed: list(text(), { summary: 'Members that the command line sets: reach, rtmp, publicUrl, certificate, proxies.' }),
} as const

/** A visit from outside by a one-time mark. */
export const visitFacts = {
  visitId: text(),
  state: text({ summary: 'waiting, running, done, or expired.' }),
  expires: integer({ summary: 'Until when the mark is good, in ms.' }),
  began: integer({ summary: 'When it was opened, in ms.', optional: true }),
  by: text({ summary: 'phone, tablet, computer or other, as its browser told.', optional: true }),
  outside: flag({ summary: 'It came from an address that is not of this computer or its network.', optional: true }),
  steps: list(
    object({
      name: text({ summary: `${visitSteps.join(', ')}.` }),
      state: text({ summary: 'waiting, passed, failed, or skipped.' }),
      milliseconds: integer({ summary: 'How long it took; of hls how far behind it is.', optional: true }),
      reason: text({ summary: 'timeout, refused, cutOff, offAir or closed.', optional: true }),
    }),
  ),
} as const

/** How far the service is reached, and proof of it. */
export const reachOperations = {
  reach: extension(
    'reach/read',
    'reach',
    'Reads how far the service is reached, with what was measured of each reach.',
    {},
    { ret: object(reachFacts) },
    general,
  ),
  updateReach: extension(
    'reach/update',
    'reach',
    'Changes how far the service is reached, without a restart; what came through a closed door ends within 1 s.',
    {
      reach: text({ pattern: `^(${reaches.join('|')})$` }),
      rtmp: flag({ summary: 'Lets encoders in the home network push; the key travels in clear.' }),
      publicUrl: text({
        summary:
          'Root of the media side as people reach it; empty for none. ' +
          '`port`, for which it is HTTPS, and `proxy` keep one each.',
        max: 1024,
        clearable: true,
      }),
      port: integer({ summary: 'Port of the door to the internet, 8443 at first.', min: 1, max: 65_535 }),
      forward: flag({ summary: 'Asks the router to forward that port.' }),
      certificateFile: text({
        summary: 'Path of the certificate chain in PEM; files that cannot be used are refused.',
        max: 4096,
      }),
      keyFile: text({ summary: 'Path of its private key in PEM; the two are given together at first.', max: 4096 }),
      proxies: list(text({ max: 64 }), { summary: 'Trusted proxies as ranges; replaces the list.', max: 16 }),
      localName: flag({ summary: 'Announces sidestage.local in the home network.' }),
    },
    { ret: object(reachFacts), ...heldAnswer },
    general,
  ),
  checkReach: extension(
    'reach/check',
    'reach',
    'Measures each reach again from this computer.',
    {},
    { ret: object(reachFacts) },
    general,
  ),
  startVisit: extension(
    'reach/startVisit',
    'reach',
    'Makes a one-time mark of 10 minutes: whoever opens its address from outside reports what works there.',
    { cid: text({ summary: 'Channel id.', required: true, max: 64 }) },
    { ret: object({ ...visitFacts, url: text({ secret: true }) }) },
  ),
  visits: extension(
    'reach/visits',
    'reach',
    'Lists visits by such marks, newest first; the last 20.',
    {},
    { ret: object({ list: list(object(visitFacts)) }) },
    general,
  ),
  proxySnippet: extension(
    'reach/snippet',
    'reach',
    'Writes the configuration of a proxy in front of this service with the values that are right now.',
    {
      server: text({ required: true, pattern: `^(${proxyServers.join('|')})$` }),
      publicUrl: text({ summary: 'Address to write it for; the one that is set when absent.', max: 1024 }),
    },
    { ret: object({ text: text(), file: text({ summary: 'Where such a file usually lies.' }) }) },
    general,
  ),
} as const
