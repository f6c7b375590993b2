/**
 * What the service says beside the code of an own fault when its disk has no room for what was to be kept, in `msg`, `desc` and on the
 * link. Nothing was changed then, and the same call may be made again.
 */
export const diskIsFull = 'the disk of the service is full; nothing was changed: make room, then call again'
