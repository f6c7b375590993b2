import type { S3Client } from '@aws-sdk/client-s3'
import type { Log } from '../log.ts'
import { BlobFault, type Blobs, type ObjectPlace, type StoredPart } from './blobs.ts'
import { placeFaultOf, statusOf } from './s3-place-faults.ts'

/** Times in ms: to connect, until an answer begins, and without any byte. */
const defaultTimes = { connect: 5000, answer: 60_000, silence: 20_000 }
/** The first try waits for so long, in ms. */
const firstPatience = 5000
/** What follows from a store that does not answer at the start. */
const unusable =
  'SIDESTAGE_S3_ENDPOINT: the object store cannot be used now: uploads are refused, recordings wait on the disk'
/** Attempts of one call. */
const attempts = 3
/** Connections at once; one more waits. */
const connections = 64

/** The names of the protocol and of the system, which hold no secret; messages of either might. */
function faultOf(error: unknown, verb: string, key: string): BlobFault {
  if (error instanceof BlobFault) return error
  const { name = '', code } = error as { name?: string; code?: unknown }
  const status = statusOf(error)
  const said = typeof code === 'string' && /^[A-Z_]+$/.test(code) ? code : /^\w{1,64}$/.test(name) ? name : 'no name'
  const isMissing = status === 404 && name !== 'NoSuchBucket'
  const kind = isMissing ? 'missing' : status !== undefined && status < 500 ? 'refused' : 'unreachable'
  return new BlobFault(
    kind,
    `the object store could not ${verb} ${key}: ${said}${status === undefined ? '' : ` (${status})`}`,
  )
}

/** Connects to an object store that speaks S3. Its module is loaded here only, as it is large and optional. */
export async function openS3Blobs(
  place: ObjectPlace,
  options: {
    readonly log: Pick<Log, 'warn'>
    readonly times?: typeof defaultTimes
    /** Parts in one answer. */
    readonly page?: number
  },
): Promise<Blobs & { begun(): Promise<void> }> {
  const s3 = await import('@aws-sdk/client-s3').catch(() => {
    throw new BlobFault('refused', 'the object store needs the package @aws-sdk/client-s3, which is not installed')
  })
  const { log, times = defaultTimes, page: MaxParts = 1000 } = options
  const { bucket: Bucket, prefix } = place
  const client: S3Client = new s3.S3Client({
    endpoint: place.endpoint,
    region: place.region,
    forcePathStyle: place.isPathStyle,
    credentials: { accessKeyId: place.accessKey, secretAccessKey: place.secretKey },
    // Stores of other makers know none of the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: attempts,
    requestHandler: {
      connectionTimeout: times.connect,
      requestTimeout: times.answer,
      socketTimeout: times.silence,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: connections, keepAlive: true },
      httpsAgent: { maxSockets: connections, keepAlive: true },
    },
  })
  const keyOf = (key: string): string => `${prefix}/${key}`
  const asked = async <T>(verb: string, key: string, call: () => Promise<T>): Promise<T> => {
    try {
      return await call()
    } catch (error) {
      const fault = faultOf(error, verb, key)
      if (fault.kind !== 'missing') log.warn({ kind: fault.kind }, fault.message)
      throw fault
    }
  }
  const unlessMissing = async <T>(call: Promise<T>): Promise<T | undefined> => {
    try {
      return await call
    } catch (error) {
      if (error instanceof BlobFault && error.kind === 'missing') return undefined
      throw error
    }
  }
  return {
    /**
     * Tries the store once. Rejects with PlaceFault where waiting would not help; one that does not answer, or says
     * something else, is told in the log.
     */
    async begun() {
      try {
        const asking = new s3.ListObjectsV2Command({ Bucket, Prefix: `${prefix}/`, MaxKeys: 1 })
        await client.send(asking, { abortSignal: AbortSignal.timeout(firstPatience) })
      } catch (error) {
        const fault = await placeFaultOf(error, place.endpoint)
        if (fault) throw fault
        const { message: reason } = faultOf(error, 'list', prefix)
        log.warn({ reason }, unusable)
      }
    },
    async put(key, bytes) {
      await asked('store', key, () => client.send(new s3.PutObjectCommand({ Bucket, Key: keyOf(key), Body: bytes })))
    },
    read: (key, from, to) =>
      asked('read', key, async () => {
        const wanted = { Bucket, Key: keyOf(key), Range: `bytes=${from}-${to}` }
        for (let attempt = 1; ; attempt++) {
          const { Body } = await client.send(new s3.GetObjectCommand(wanted))
          try {
            const bytes = Buffer.from(await Body!.transformToByteArray())
            if (bytes.length === to - from + 1) return bytes
          } catch (error) {
            // The client itself repeats only what failed before the answer began.
            if (attempt >= attempts) throw error
            continue
          }
          if (attempt >= attempts) throw new BlobFault('unreachable', `the object store cut the bytes of ${key} short`)
        }
      }),
    async size(key) {
      const asking = asked('look for', key, () => client.send(new s3.HeadObjectCommand({ Bucket, Key: keyOf(key) })))
      return (await unlessMissing(asking))?.ContentLength
    },
    async remove(key) {
      await unlessMissing(
        asked('remove', key, () => client.send(new s3.DeleteObjectCommand({ Bucket, Key: keyOf(key) }))),
      )
    },
    begin: (key) =>
      asked('begin', key, async () => {
        const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key: keyOf(key) }))
        return UploadId!
      }),
    part: (key, upload, number, bytes) =>
      asked(`store part ${number} of`, key, async () => {
        const part = { Bucket, Key: keyOf(key), UploadId: upload, PartNumber: number, Body: bytes }
        const { ETag } = await client.send(new s3.UploadPartCommand(part))
        return { number, mark: ETag! }
      }),
    parts: (key, upload) =>
      asked('list the parts of', key, async () => {
        const found: StoredPart[] = []
        for (let after: string | undefined; ;) {
          const page = await client.send(
            new s3.ListPartsCommand({ Bucket, Key: keyOf(key), UploadId: upload, PartNumberMarker: after, MaxParts }),
          )
          for (const { PartNumber, ETag, Size } of page.Parts ?? [])
            found.push({ number: PartNumber!, mark: ETag!, bytes: Size! })
          if (!page.IsTruncated || page.NextPartNumberMarker === after) return found
          after = page.NextPartNumberMarker
        }
      }),
    async complete(key, upload, parts) {
      const Parts = parts.map(({ number, mark }) => ({ PartNumber: number, ETag: mark }))
      const whole = { Bucket, Key: keyOf(key), UploadId: upload, MultipartUpload: { Parts } }
      await asked('complete', key, () => client.send(new s3.CompleteMultipartUploadCommand(whole)))
    },
    async abort(key, upload) {
      const given = { Bucket, Key: keyOf(key), UploadId: upload }
      await unlessMissing(asked('abort', key, () => client.send(new s3.AbortMultipartUploadCommand(given))))
    },
    left: (below) =>
      asked('list uploads of', below, async () => {
        const { Uploads = [] } = await client.send(
          new s3.ListMultipartUploadsCommand({ Bucket, Prefix: keyOf(below), MaxUploads: 1000 }),
        )
        return Uploads.map(({ Key, UploadId, Initiated }) => ({
          key: Key!.slice(prefix.length + 1),
          upload: UploadId!,
          begun: Initiated!.getTime(),
        }))
      }),
    close: () => client.destroy(),
  }
}
