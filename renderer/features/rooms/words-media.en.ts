/** English for the chat beside a recording, and for the second of a line. */
export const roomMediaEn = {
  roomMedia: {
    open: 'Second of the recording',
    title: 'The second of {time}',
    unlinked:
      'This room is linked to no channel, so no recording belongs to it. Link it to the channel whose recordings it goes with.',
    running:
      'This second is in the slice that is being recorded. Keep this open, and it plays by itself when the slice ends.',
    runningCut:
      'This second is in the slice that is being recorded. Keep this open, and it plays by itself when the slice ends: with the push, or at the first key frame after {time}.',
    ready: 'This second is in a file now.',
    openNow: 'Open',
    none: 'Nothing was recorded then.',
    noneHosted: 'No file of this time is listed. A slice that is still being recorded is listed after its cut.',
    noneAtAll: 'Nothing was recorded within three days before or after it.',
    before: 'Before: {name}, until {time}',
    after: 'After: {name}, from {time}',
    openBefore: 'Open its end',
    openAfter: 'Open its start',
    hosted: 'It is in {name}, at {offset}. A hosted service gives no way to play its files here.',
    chat: 'Chat at {time}',
    chatOf: 'Chat of this minute',
    previous: 'Minute before',
    next: 'Minute after',
    playing: 'Playing: {time}',
    seek: 'Play from {time}',
    noRoom: 'No room is linked to this channel now. Link one in the Room or in Studio, and its lines stand here.',
    quiet: 'Nobody said anything in this minute.',
    received: 'Only lines that were received on this computer.',
    earlier: '{n} earlier line in this minute | {n} earlier lines in this minute',
    later: '{n} later line in this minute | {n} later lines in this minute',
    removed: 'Removed',
  },
}
