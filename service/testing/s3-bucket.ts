import type { ObjectPlace } from '../blobs/blobs.ts'

/** Makes the bucket of a place where it is not there, which a service never does. */
export async function makeBucket({ endpoint, bucket, region, accessKey, secretKey }: ObjectPlace): Promise<void> {
  const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3')
  const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey }
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials })
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
  } catch (error) {
    if (!['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'].includes((error as Error).name)) throw error
  } finally {
    client.destroy()
  }
}
