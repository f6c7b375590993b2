import type { Generated } from 'kysely'

/** A channel (1-live Channel); its on-air state is only in the hub. */
export interface ChannelTable {
  cid: string
  uid: number
  name: string
  type: number
  /** In ms. */
  ctime: number
  disabled: number
  needRecord: number
  format: number
  /** Slice length in minutes. */
  duration: number
  filename: string
  /** Key of the push secrets. */
  channelKey: string
  /** Expiry of the newest push address in seconds. */
  keyExpires: number
}

/** Admitted addresses, so that an encoder may reconnect after their expiry, also across a restart. */
export interface AdmissionTable {
  cid: string
  /** Expiry of the address, in seconds. */
  wsTime: number
  /** Time of the last packet in ms, as last noted. */
  lastPacket: number
}

/** A recorded file, from its begin (1-live, Recorded file entries). */
export interface RecordingTable {
  vid: Generated<number>
  cid: string
  uid: number
  /**
   * `writing`; `merging` while a merge makes it; `storing` when it is finished and not in the object store yet;
   * `ready` when listed; `removing` while being deleted.
   */
  state: string
  /** 1 flv, 0 mp4. */
  format: number
  merged: number
  /** Number of the slice within its push, from 0. */
  slice: number
  /** Begin in ms. */
  beginTime: number
  /** Base name at the begin; the outputName of a merged file. */
  filename: string
  /** Set when ready: end and completion in ms, name, storage path, size, length in ms. */
  endTime: number
  completed: number
  name: string
  fileKey: string
  bytes: number
  duration: number
  /** Must be equal for a merge. */
  codecs: string
  /** Name of the service of a cluster that has the file, or recorded it; empty for one that is alone. */
  node: Generated<string>
  /** 1 when its file is in the object store. */
  stored: Generated<number>
  /** What a clip is of, as JSON (`clip.ts`); empty for other files. */
  clip: Generated<string>
}

/** A recording that a service brings to the object store. */
export interface RecordingUploadTable {
  vid: number
  /** The service, by its name in the cluster; empty for one that is alone. */
  node: string
  /** The upload of its parts; empty before the first one. */
  uploadId: string
  /** When the service said last that it is there, in ms by the database's clock. */
  seen: number
}

/** Hold and delay of a channel; without a row there is neither. */
export interface ChannelHoldTable {
  cid: string
  holdSeconds: number
  delaySeconds: number
}

/** A channel whose picture is held by hand. */
export interface HandHoldTable {
  cid: string
  /** In ms. */
  since: number
}

/** A deleted channel with recorded files. */
export interface FormerChannelTable {
  cid: string
  uid: number
  /** Its last name; empty if unknown. */
  name: string
  /** In ms. */
  deleted: number
}

/** A requested merge. */
export interface MergeTable {
  taskId: Generated<number>
  uid: number
  vid: number
  outputName: string
  /** Its sources in order, as a JSON array. */
  vidList: string
  /** `waiting`, `running`, `done`, `failed` or `cancelled`. */
  state: string
  reason: string
  /** Starts so far. */
  attempts: number
  created: number
  /** Bytes to copy. */
  total: number
  /** What is cut out, as JSON: `from` ms of the first source `to` ms of the last. Empty for all. */
  cut: Generated<string>
  /** Name of the service of a cluster that runs it, which has its files; empty for one that is alone. */
  node: Generated<string>
}

/** Which run has a merge whose file goes to the object store; until nothing of it is left to be done. */
export interface MergeLeaseTable {
  taskId: number
  /** Of its object. */
  key: string
  /** The only service that can read all sources; empty when they are in the object store. */
  fileNode: string
  /** The run, empty for none, and until when it has it, in ms by the database's clock. */
  run: string
  until: number
  /** The upload of its parts; empty before the first one. */
  uploadId: string
  /** Bytes that are stored. */
  done: number
}

/** A marked moment of a channel. */
export interface MarkerTable {
  markerId: Generated<number>
  cid: string
  uid: number
  at: number
  label: string
}

/** Tables of channels and recordings. */
export interface LiveTables {
  channel: ChannelTable
  admission: AdmissionTable
  recording: RecordingTable
  recordingUpload: RecordingUploadTable
  formerChannel: FormerChannelTable
  channelHold: ChannelHoldTable
  handHold: HandHoldTable
  mergeTask: MergeTable
  mergeLease: MergeLeaseTable
  marker: MarkerTable
}
