/** Words of the receiver of message copies, in English. */
export const copiesEn = {
  copies: {
    section: 'Message copies',
    title: 'Receiver of message copies',
    lead: 'The service sends a copy of each message, log-in and log-out to an address of yours. This app can receive and verify them, and knows duplicates.',
    target: 'Copies of this service',
    unknown: 'Not known while the service is down.',
    nowhere: 'Copies go nowhere: no address is set.',
    goesTo: 'Copies go to',
    useHere: 'Use this receiver',
    kinds: 'Kinds',
    kind: { 1: 'Messages', 2: 'Log-ins', 3: 'Log-outs', 4: 'Room messages', other: 'Other' },
    one: { 1: 'message', 2: 'log-in', 3: 'log-out', 4: 'room message', other: 'unknown kind' },
    set: 'Set address',
    end: 'End copying',
    reachable:
      'The service runs on another computer and must reach port {port} of this one. Enter the address in the settings of its provider.',
    unverifiedLead:
      'How this service signs copies is not part of its specification. The MD5 of each copy is checked; its origin cannot be, so copies are shown as unverified.',
    received: 'Received by this app',
    all: 'All',
    none: 'Nothing was received yet. Start the receiver, set it as address, then send a message.',
    ignored: '{n} copy of an unknown kind since it listens | {n} copies of an unknown kind since it listens',
    verdict: {
      accepted: 'Accepted',
      duplicate: 'Duplicate',
      ignored: 'Ignored',
      probe: 'Address tried out',
      forged: 'Forged, turned away',
      unreadable: 'Unreadable, turned away',
    },
    verified: 'verified',
    unverified: 'unverified',
  },
} as const
