import type { DiskRefusal } from '../platform/full-disk.ts'

/** Text of a fault in `msg` and `desc` when the disk refused a write. */
export const diskWords: Readonly<Record<DiskRefusal, string>> = {
  full: 'the disk of the service is full; nothing was changed: make room, then call again',
  readOnly: 'the disk of the service can only be read; nothing was changed: make it writable, then call again',
  broken: 'the disk of the service answers with errors; nothing was changed: check it, then call again',
}
