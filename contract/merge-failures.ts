/** Why a merge ended without a file, as its task says it (behaviour.md#merging). */
export const mergeFailures = {
  attempts: 'it was interrupted too often',
  room: 'there is not enough room on the disk',
  readonly: 'the folder of recordings may not be written',
  source: 'a file became shorter or went while it was read',
  damaged: 'a file is not a finished recording',
  disk: 'the disk reports a fault ({code})',
  fault: 'fault of the service, see its log',
} as const
