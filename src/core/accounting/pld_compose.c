/*
 * pld_compose.c - sums of privacy losses by Fourier transforms (GSL).
 *
 * The tail that determines delta is far smaller than the error of a transform, which is relative to
 * the largest masses.  So all masses m(l) are tilted first: with w(l) = m(l) e^(theta l) / M, M
 * such that they add up to 1, the sum of all losses has
 *
 *   mass(l) = tilted mass(l) e^(Lambda - theta l),   Lambda = sum of times ln M,
 *
 * and theta is chosen so that the tilted sum lies where the answer is (the saddle point, the
 * order of the best Chernoff or Renyi bound).  Any theta >= 0 gives an upper bound.
 */
#include "core/accounting/pld.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>

#define UNIT DBL_EPSILON

/* Half the window's length, in deviations of the tilted sum, on each side of the answer. */
#define REACH 10.0

/*
 * The largest tilt times the sum's deviation; a steeper tilt would put all mass into one point and
 * increase the errors.
 */
#define STEEPEST 40.0

/* The least and the largest transform. */
#define LEAST_LOG_SIZE 10
#define MOST_LOG_SIZE 21

#define POINTS_BETWEEN_PAUSES 65536

typedef struct Sum
{
	const PldPart *part;
	int parts;
	double step;
	double theta;
	double scale; /* Lambda */
	double mean;  /* of the tilted sum */
	double deviation;
	size_t size;
	int64_t low;     /* the window's first point, in steps */
	double *tilted;  /* masses of the points low .. low + size - 1 */
	double distance; /* Euclidean distance of tilted from the true masses, at most */
	double share;    /* true masses are larger by at most this share */
	double infinite; /* mass of an infinite loss and of losses above the window */
	double slack;
	Pause pause;
} Sum;

static double
loss_of(const Pld *pld, int64_t i)
{
	return (double) (pld->first + i) * pld->step;
}

/* ---- tilting ---- */

typedef struct Moments
{
	double log_moment; /* ln E e^(theta l) of the finite losses */
	double error;      /* how far it may be off */
	double mean;       /* of the tilted law */
	double variance;
} Moments;

static Moments
moments_of(const Pld *pld, double theta)
{
	double top = theta * loss_of(pld, pld->count - 1);
	double tilt = exp(theta * loss_of(pld, 0) - top);
	double ratio = exp(theta * pld->step);
	double sum = DBL_MIN; /* positive, so that its logarithm is finite */
	double mean = 0;
	double square = 0;

	for (int64_t i = 0; i < pld->count; i++)
	{
		double loss = loss_of(pld, i);
		double weight = pld->mass[i] * tilt;

		sum += weight;
		mean += weight * loss;
		square += weight * loss * loss;
		tilt *= ratio;
	}
	mean /= sum;
	return (Moments){.log_moment = log(sum) + top,
					 .error = 4 * UNIT * ((double) pld->count + fabs(top) + 8),
					 .mean = mean,
					 .variance = fmax(square / sum - mean * mean, 0)};
}

static Moments
moments_of_sum(const Sum *sum, double theta)
{
	Moments all = {0};

	for (int k = 0; k < sum->parts; k++)
	{
		Moments one = moments_of(sum->part[k].pld, theta);
		double times = (double) sum->part[k].times;

		take_pause(sum->pause);
		all.log_moment += times * one.log_moment;
		all.error += times * (one.error + 4 * UNIT * fabs(one.log_moment));
		all.mean += times * one.mean;
		all.variance += times * one.variance;
	}
	return all;
}

/* The largest theta for which no exponential overflows or underflows for a whole law. */
static double
most_theta(const Sum *sum)
{
	double widest = sum->step;

	for (int k = 0; k < sum->parts; k++)
		widest = fmax(widest, (double) sum->part[k].pld->count * sum->step);
	return 500 / widest;
}

/* The question: an epsilon or a delta is given, and the other one is NAN. */
typedef struct Question
{
	double epsilon;
	double delta;
} Question;

/*
 * Rises with theta from below 0 and is 0 at the best theta: mean - epsilon, or
 * theta mean - Lambda - ln(1 / delta).
 */
static double
excess(const Question *question, const Moments *moments, double theta)
{
	if (isnan(question->delta))
		return moments->mean - question->epsilon;
	return theta * moments->mean - moments->log_moment + log(question->delta);
}

/* Newton's method inside a bracket.  Any result gives a valid bound. */
static double
find_theta(const Sum *sum, const Question *question)
{
	Moments untilted = moments_of_sum(sum, 0);
	double low = 0;
	double high = fmin(most_theta(sum), STEEPEST / sqrt(untilted.variance));
	double theta = fmin(1, high / 2);

	if (excess(question, &untilted, 0) >= 0)
		return 0;
	for (int i = 0; i < 40; i++)
	{
		Moments moments = moments_of_sum(sum, theta);
		double value = excess(question, &moments, theta);
		double slope = (isnan(question->delta) ? 1 : theta) * moments.variance;
		double next = theta - value / slope;

		if (value > 0)
			high = theta;
		else
			low = theta;
		if (fabs(next - theta) < 1e-3 * theta || high - low < 1e-3 * low)
			break;
		theta = next > low && next < high ? next : (low > 0 ? sqrt(low * high) : high / 16);
	}
	return theta;
}

/* ---- the window ---- */

/* The least and the largest sum of finite losses, in steps. */
static double
least_sum(const Sum *sum)
{
	double all = 0;

	for (int k = 0; k < sum->parts; k++)
		all += (double) sum->part[k].times * (double) sum->part[k].pld->first;
	return all;
}

static double
largest_sum(const Sum *sum)
{
	double all = 0;

	for (int k = 0; k < sum->parts; k++)
	{
		const Pld *pld = sum->part[k].pld;

		all += (double) sum->part[k].times * (double) (pld->first + pld->count - 1);
	}
	return all;
}

/*
 * ln of the tilted mass of sums of edge or more, upwards, or of edge or less, downwards: at most
 * ln E e^((t - theta) (sum - edge)) for every t > theta, or t < theta (Chernoff).
 */
static double
log_mass_beyond(const Sum *sum, double edge, int direction)
{
	double width = fmax(direction * (edge - sum->mean), sum->step);
	double pace = width / (64 * (sum->deviation * sum->deviation + width * sum->step));
	double most = most_theta(sum);
	double least = 0;

	for (double tilt = pace; tilt < most; tilt *= 1.6)
	{
		double t = sum->theta + direction * tilt;
		Moments moments = moments_of_sum(sum, t);
		double logarithm =
			moments.log_moment + moments.error - sum->scale - (t - sum->theta) * edge;

		if (logarithm > least + 1)
			break;
		least = fmin(least, logarithm);
	}
	return least;
}

/* ln of the tilted mass allowed outside the window; it reappears at the window's other end. */
#define LOG_OUTSIDE (-25.0)

/*
 * Places the window around the answer, REACH deviations to both sides or over the whole range of
 * sums, and enlarges it while the mass outside matters.  Returns a bound on the true mass above the
 * window.
 */
static double
place_window(Sum *sum, double center)
{
	double bottom = least_sum(sum);
	double top = largest_sum(sum);
	double half = REACH * sum->deviation / sum->step;
	int log_size = LEAST_LOG_SIZE;

	while (log_size < MOST_LOG_SIZE && ldexp(1, log_size) < fmin(2 * half, top - bottom + 1))
		log_size++;
	for (;; log_size++)
	{
		double edge;
		double above;
		double below;

		sum->size = (size_t) 1 << log_size;
		sum->low = (int64_t) (top - bottom < (double) sum->size
								  ? bottom
								  : floor(center / sum->step) - (double) (sum->size / 2));
		edge = ((double) sum->low + (double) sum->size) * sum->step;
		above = top * sum->step < edge ? -INFINITY : log_mass_beyond(sum, edge, 1);
		below = bottom >= (double) sum->low
					? -INFINITY
					: log_mass_beyond(sum, ((double) sum->low - 1) * sum->step, -1);
		if (fmax(above, below) < LOG_OUTSIDE || log_size == MOST_LOG_SIZE)
			return fmin(1.01 * exp(above + sum->scale - sum->theta * edge), 1);
	}
}

/* ---- transforms ---- */

typedef struct Transform
{
	size_t size;
	double *work;
	double *spectrum;
	double *error;                /* of the spectrum's points */
	gsl_fft_real_workspace space; /* its memory is allocated here */
	Pause pause;
} Transform;

/* Frees GSL's memory before an error can be raised; false if GSL had no memory. */
static bool
transform_forward(Transform *transform, double *vector)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	gsl_fft_real_wavetable *table = gsl_fft_real_wavetable_alloc(transform->size);

	(void) gsl_set_error_handler(handler);
	if (table == NULL)
		return false;
	gsl_fft_real_transform(vector, 1, transform->size, table, &transform->space);
	gsl_fft_real_wavetable_free(table);
	take_pause(transform->pause);
	return true;
}

static bool
transform_back(Transform *transform, double *vector)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	gsl_fft_halfcomplex_wavetable *table = gsl_fft_halfcomplex_wavetable_alloc(transform->size);

	(void) gsl_set_error_handler(handler);
	if (table == NULL)
		return false;
	gsl_fft_halfcomplex_inverse(vector, 1, transform->size, table, &transform->space);
	gsl_fft_halfcomplex_wavetable_free(table);
	take_pause(transform->pause);
	return true;
}

/*
 * The error of a transform as a share of the Euclidean length, and at each point as a share of the
 * sum of what is transformed: log2(n) (mu + gamma_4 (sqrt(2) + mu)) with the error mu of the
 * roots of unity (Higham 2002, theorem 24.2).  GSL computes each root by cos() and sin() of
 * an angle below 2 pi, so that mu < 10 units and all is below 16 units, which are UNIT / 2.
 */
static double
transform_error(size_t size)
{
	return 9 * UNIT * log2((double) size);
}

static double
length_of(const double *vector, size_t size)
{
	double sum = 0;

	for (size_t i = 0; i < size; i++)
		sum += vector[i] * vector[i];
	return sqrt(sum);
}

/*
 * Multiplies the spectrum by work^times, in GSL's halfcomplex order, and updates the error bounds.
 * The points of work are off by error at most; the polar form loses 16 units for each factor.
 */
static void
multiply_power(Transform *transform, double times, double error)
{
	double *spectrum = transform->spectrum;
	const double *work = transform->work;

	for (size_t k = 0; k < transform->size; k += k == 0 ? 1 : 2)
	{
		bool real = k == 0 || k == transform->size - 1;
		double b = real ? 0 : work[k + 1];
		double length = hypot(work[k], b);
		double power = pow(length, times);
		double most = pow(length + error, times);
		double angle = fmod(atan2(b, work[k]) * times, 2 * M_PI);
		double x = power * cos(angle);
		double y = real ? 0 : power * sin(angle);
		double re = spectrum[k];
		double im = real ? 0 : spectrum[k + 1];

		most *= 1 + 32 * UNIT * (times + 1);
		transform->error[(k + 1) / 2] = transform->error[(k + 1) / 2] * most +
										hypot(re, im) * (most - power + 32 * UNIT * times * most);
		spectrum[k] = re * x - im * y;
		if (!real)
			spectrum[k + 1] = re * y + im * x;
		if (k % POINTS_BETWEEN_PAUSES == 1)
			take_pause(transform->pause);
	}
}

/* The tilted law of a part, its points modulo the window's size. */
static void
fill_tilted(const Sum *sum, const Pld *pld, double *work)
{
	double log_moment = moments_of(pld, sum->theta).log_moment;

	memset(work, 0, sum->size * sizeof(double));
	for (int64_t i = 0; i < pld->count; i++)
		work[(size_t) (pld->first + i) & (sum->size - 1)] +=
			pld->mass[i] * exp(sum->theta * loss_of(pld, i) - log_moment);
}

/*
 * Replaces the spectrum by the sum's tilted law and computes its error bound; false if GSL had no
 * memory.
 */
static bool
transform_parts(Sum *sum, Transform *transform)
{
	double error = transform_error(sum->size);

	memset(transform->spectrum, 0, sum->size * sizeof(double));
	memset(transform->error, 0, (sum->size / 2 + 1) * sizeof(double));
	for (size_t k = 0; k < sum->size; k += k == 0 ? 1 : 2)
		transform->spectrum[k] = 1;
	for (int j = 0; j < sum->parts; j++)
	{
		fill_tilted(sum, sum->part[j].pld, transform->work);
		if (!transform_forward(transform, transform->work))
			return false;
		multiply_power(transform, (double) sum->part[j].times, 1.01 * error);
	}
	if (!transform_back(transform, transform->spectrum))
		return false;
	/* all but two points of the spectrum count twice; the inverse transform divides by the size */
	sum->distance = length_of(transform->error, sum->size / 2 + 1) * sqrt(2 / (double) sum->size);
	sum->distance = 1.01 * (sum->distance + error * length_of(transform->spectrum, sum->size));
	return true;
}

/*
 * A bound on the relative rounding error of a tilted mass, of the product of them and of its tilt.
 */
static double
lost_share(const Sum *sum)
{
	double lost = 8 * UNIT * (fabs(sum->scale) + 16);
	double window = fmax(fabs((double) sum->low), fabs((double) sum->low + (double) sum->size));

	lost += 8 * UNIT * sum->theta * window * sum->step;
	for (int k = 0; k < sum->parts; k++)
	{
		const Pld *pld = sum->part[k].pld;
		double reach = fmax(fabs(loss_of(pld, 0)), fabs(loss_of(pld, pld->count - 1)));

		lost += (double) sum->part[k].times * 8 * UNIT * (2 * sum->theta * reach + 16);
	}
	return expm1(lost) + 4 * UNIT * (double) sum->size;
}

/* 1 - product of (1 - infinite)^times. */
static double
infinite_of(const Sum *sum)
{
	double logarithm = 0;

	for (int k = 0; k < sum->parts; k++)
		logarithm += (double) sum->part[k].times * log1p(-sum->part[k].pld->infinite);
	return -expm1(logarithm) * (1 + 64 * UNIT * sum->parts);
}

/* Computes the law of the sum; false if GSL had no memory. */
static bool
make_sum(const PldPart *part, int parts, Question *question, Memory *memory, Sum *sum)
{
	Transform transform = {0};
	Moments moments;
	double beyond;
	bool made;

	memset(sum, 0, sizeof(*sum));
	sum->pause = memory->pause;
	sum->part = part;
	sum->parts = parts;
	sum->step = part[0].pld->step;
	sum->infinite = infinite_of(sum);
	for (int k = 0; k < parts; k++)
		sum->slack += (double) part[k].times * part[k].pld->slack;
	if (!isnan(question->delta))
		question->delta = fmax(question->delta - sum->infinite, DBL_MIN);
	sum->theta = find_theta(sum, question);
	moments = moments_of_sum(sum, sum->theta);
	sum->scale = moments.log_moment;
	sum->mean = moments.mean;
	sum->deviation = sqrt(moments.variance);
	beyond = place_window(sum, fmax(isnan(question->delta) ? question->epsilon : sum->mean, 0));
	sum->infinite += beyond;
	sum->share = lost_share(sum);

	transform.size = sum->size;
	transform.pause = memory->pause;
	transform.work = memory_allocate(memory, sum->size, sizeof(double));
	transform.spectrum = memory_allocate(memory, sum->size, sizeof(double));
	transform.error = memory_allocate(memory, sum->size / 2 + 1, sizeof(double));
	sum->tilted = memory_allocate(memory, sum->size, sizeof(double));
	transform.space.n = sum->size;
	transform.space.scratch = memory_allocate(memory, sum->size, sizeof(double));
	made = transform_parts(sum, &transform);
	for (size_t i = 0; made && i < sum->size; i++)
		sum->tilted[i] =
			fmax(transform.spectrum[(size_t) (sum->low + (int64_t) i) & (sum->size - 1)], 0);
	memory_release(memory, transform.space.scratch);
	memory_release(memory, transform.work);
	memory_release(memory, transform.spectrum);
	memory_release(memory, transform.error);
	return made;
}

/* ---- answers ---- */

/*
 * Above epsilon a point's weight is below e^(Lambda - theta l), so that an error of that
 * Euclidean length does at most this (Cauchy and Schwarz, a geometric sum).
 */
static double
transform_share(const Sum *sum, double epsilon)
{
	double points = fmin((double) sum->size, -1 / expm1(-2 * sum->theta * sum->step));

	return 1.01 * sum->distance * sqrt(points) * exp(sum->scale - sum->theta * epsilon);
}

static double
delta_at(const Sum *sum, double epsilon)
{
	double claimed = (epsilon - sum->slack) * (1 - 4 * UNIT);
	double delta = 0;

	if (claimed < (double) sum->low * sum->step && (double) sum->low > least_sum(sum))
		return 1; /* below the window nothing is known */
	for (size_t i = sum->size; i-- > 0;)
	{
		double loss = (double) (sum->low + (int64_t) i) * sum->step;

		if (loss <= claimed)
			break;
		delta += sum->tilted[i] * exp(sum->scale - sum->theta * loss) * -expm1(claimed - loss);
	}
	delta = delta * (1 + sum->share) + transform_share(sum, claimed) + sum->infinite;
	return fmin(delta * (1 + 16 * UNIT), 1);
}

/*
 * Between points of the grid delta(epsilon) = infinite + above - e^epsilon weight, with the mass
 * above epsilon and its integral of e^-l.  The answer is in the first cell from the right where
 * this exceeds the given delta.
 */
static double
propose_epsilon(const Sum *sum, double delta)
{
	double above = 0;
	double weight = 0;
	double loss = 0;

	for (size_t i = sum->size; i-- > 0;)
	{
		double mass;

		loss = (double) (sum->low + (int64_t) i) * sum->step;
		if (loss <= 0 ||
			sum->infinite + transform_share(sum, loss) + above - exp(loss) * weight > delta)
			break;
		mass = sum->tilted[i] * exp(sum->scale - sum->theta * loss) * (1 + sum->share);
		above += mass;
		weight += mass * exp(-loss);
	}
	if (weight == 0)
		return fmax(loss, 0);
	above += sum->infinite + transform_share(sum, fmax(loss, 0));
	return above > delta ? fmax(log((above - delta) / weight), 0) : 0;
}

double
pld_delta(const PldPart *part, int parts, double epsilon, Memory *memory)
{
	Question question = {epsilon, NAN};
	Sum sum;
	double delta = 1;

	if (make_sum(part, parts, &question, memory, &sum))
		delta = delta_at(&sum, epsilon);
	memory_release(memory, sum.tilted);
	return delta;
}

/* Raises a proposed epsilon until it suffices. */
static double
answer(const PldPart *part, int parts, Question question, double delta, Memory *memory)
{
	Sum sum;
	double epsilon = INFINITY;

	if (make_sum(part, parts, &question, memory, &sum))
	{
		double most = ((double) sum.low + (double) sum.size) * sum.step;

		epsilon = delta_at(&sum, 0) <= delta ? 0 : propose_epsilon(&sum, delta) + sum.slack;
		for (double more = 1e-13; epsilon < most && delta_at(&sum, epsilon) > delta; more *= 2)
			epsilon += more * (1 + epsilon);
		if (delta_at(&sum, epsilon) > delta)
			epsilon = INFINITY;
	}
	memory_release(memory, sum.tilted);
	return epsilon;
}

/*
 * The first tilt is the best for Chernoff's bound.  The second is the best for the epsilon found
 * with the first, where the transforms' error is least.  Both give valid bounds.
 */
double
pld_epsilon(const PldPart *part, int parts, double delta, Memory *memory)
{
	double first = answer(part, parts, (Question){NAN, delta}, delta, memory);

	if (isinf(first) || first == 0)
		return first;
	return fmin(first, answer(part, parts, (Question){first, NAN}, delta, memory));
}
