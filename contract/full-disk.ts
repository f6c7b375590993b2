/**
 * What the service says beside the code of an own fault when its disk has no room for what was to be kept, in `msg`, `desc` and on the
 * link. Nothing was changed then, and the same call may be made again.
 */
export const diskIsFull = 'the disk of the service is full; nothing was changed: make room, then call again'
/** The same when its disk can only be read. */
export const diskIsReadOnly =
  'the disk of the service can only be read; nothing was changed: make it writable, then call again'
/** The same when its disk answers with errors. */
export const diskIsBroken =
  'the disk of the service answers with errors; nothing was changed: check it, then call again'

/** Why a disk took nothing, by the sentence that says so. */
export const diskRefusalSaid = (sentence: string): 'full' | 'readOnly' | 'broken' | undefined =>
  sentence === diskIsFull
    ? 'full'
    : sentence === diskIsReadOnly
      ? 'readOnly'
      : sentence === diskIsBroken
        ? 'broken'
        : undefined
